/// The metrics of a running berth, in Prometheus' text form.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "berth/cluster/source.h"
#include "berth/placement/refusal.h"
#include "berth/service/observer.h"
#include "berth/service/placement_memory.h"
#include "berth/telemetry/cluster_facts.h"

namespace berth::telemetry {

enum class ReloadResult { kSuccess, kFailure };

/// Whose quantities: the pod of a call, or a pod or node of the cluster.
enum class QuantityOf { kRequest, kPod, kNode };

/// Thread-safe. Label values come from closed sets, so the number of series is fixed; all of them
/// exist from the start, so that a rate is defined before the first event.
/// Cost of counting unless said otherwise: no look-up, an atomic addition or (histogram) a short
/// lock.
class Metrics {
 public:
  explicit Metrics(std::string_view version);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// berth_requests_total, berth_request_duration_seconds {verb, outcome}.
  void count_request(service::Verb verb, service::Outcome outcome, std::chrono::nanoseconds took);
  /// berth_refusals_total {stage}: nodes refused by filter.
  void count_refusals(placement::Stage stage, std::size_t nodes);
  /// berth_second_looks_total {result}.
  void count_second_look(service::SecondLook look);
  /// berth_unreadable_quantities_total {of}: at each sight of them.
  void count_unreadable_quantities(QuantityOf of, std::size_t quantities);
  /// berth_unknown_affinity_total: calls whose pod names a mode that there is not.
  void count_unknown_affinity();
  /// berth_http_refusals_total {listener, reason}: requests that no handler was asked about. To be
  /// declared, once, before the first is counted; those that were not are not counted. Cost of
  /// counting: a look-up.
  void declare_http_refusals(std::span<const std::string_view> listeners,
                             std::span<const std::string_view> reasons);
  void count_http_refusal(std::string_view listener, std::string_view reason);
  /// berth_config_reloads_total, berth_cluster_reloads_total {result}.
  void count_config_reload(ReloadResult result);
  void count_cluster_reload(ReloadResult result);
  /// berth_snapshot_pods: pods known to the cluster's writer.
  void set_pods(std::size_t pods);

  /// berth_expected_placements_total {end}: what became of the winners that were named.
  void count_expectation(service::ExpectationEnd end);
  /// berth_expected_placements: how many are expected now.
  void set_expected(std::size_t placements);
  /// berth_source_relists_total {source, reason}, berth_source_events_total,
  /// berth_source_unreadable_total, berth_source_failures_total {source}: of a live cluster.
  void count_relist(cluster::Source source, cluster::RelistReason reason);
  void count_event(cluster::Source source);
  void count_unreadable(cluster::Source source);
  void count_failure(cluster::Source source);
  /// berth_source_synced, berth_source_age_seconds {source}. The series of a source exist from the
  /// first call on: a cluster file has no sources.
  void set_sources(std::span<const cluster::SourceStatus> sources);

  /// Everything as text, with the cluster as it is at this moment. Cost: some 100 us.
  [[nodiscard]] std::string expose(const ClusterFacts& cluster);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The media type of expose().
inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace berth::telemetry
