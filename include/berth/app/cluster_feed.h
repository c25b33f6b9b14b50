/// From the text of a saved cluster to published snapshots: the one writer of the cluster state.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/published.h"
#include "berth/base/result.h"
#include "berth/cluster/state.h"
#include "berth/codec/objects.h"
#include "berth/telemetry/log.h"
#include "berth/telemetry/metrics.h"

namespace berth::app {

inline constexpr std::size_t kMaxClusterBytes = std::size_t{1} << 30;

/// JSON when the first character is { or [, else YAML: a List as kubectl prints, single objects,
/// several documents. Error: kInvalidArgument; also for a text without any document, which is what
/// a reader sees while `kubectl get > FILE` has only begun.
[[nodiscard]] Result<codec::ClusterObjects> parse_cluster(std::string_view text);

/// Not thread-safe: one writer at a time. What it is given outlives it.
class ClusterFeed {
 public:
  ClusterFeed(model::GpuPolicy gpu_policy, Published<cluster::Snapshot>& snapshots,
              const Clock& clock, telemetry::Metrics& metrics, telemetry::Log& log);

  /// Replaces the cluster by the one of `text` and publishes a snapshot; on an error nothing
  /// changes. A text without any Node or Pod that can be read is an error, unless a list in it says
  /// `items: []`. Items that cannot be read are left out; quantities that cannot be read or are
  /// negative count as 0 (an API server would refuse the object). Both are logged once while they
  /// stay, and so is what cannot be counted of GPUs by DRA.
  [[nodiscard]] Status load(std::string_view text);

  /// Judges the same cluster by another policy and publishes a snapshot, if there was one.
  void set_gpu_policy(model::GpuPolicy gpu_policy);

 private:
  /// Lines about one load, each said once while it stays.
  class Complaints {
   public:
    void report(telemetry::Log& log, std::string_view message,
                const std::vector<std::string>& lines);

   private:
    std::set<std::string> known_;
  };

  /// One line per object; counts them too.
  [[nodiscard]] std::vector<std::string> unreadable_quantities(
      const codec::ClusterObjects& objects);
  void report_devices();
  void publish(Time now);

  cluster::ClusterState state_;
  Published<cluster::Snapshot>& snapshots_;
  const Clock& clock_;
  telemetry::Metrics& metrics_;
  telemetry::Log& log_;
  Complaints problems_;
  Complaints repeats_;
  Complaints quantities_;
  Complaints devices_not_counted_;
};

}  // namespace berth::app
