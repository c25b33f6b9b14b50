/// The one writer of the cluster's state.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "berth/cluster/state.h"
#include "berth/kube/cluster_watch.h"
#include "change_queue.h"
#include "source_health.h"

namespace berth::kube {

/// Folds changes into the state and publishes snapshots. run() is for one thread; what it is given
/// outlives it.
class ClusterWriter {
 public:
  ClusterWriter(const WatchOptions& options, model::GpuPolicy gpu_policy, ChangeQueue& queue,
                std::deque<SourceHealth>& health, Published<cluster::Snapshot>& snapshots,
                const Clock& clock, WatchObserver& observer);

  /// Returns when the queue is closed.
  void run();

 private:
  using Steady = std::chrono::steady_clock;

  void apply(Change& change);
  void apply(cluster::Source source, ListBegins);
  void apply(cluster::Source source, ListEnds);
  void apply(cluster::Source source, KindAbsent);
  void apply(cluster::Source source, const Deleted& deleted);
  void apply(cluster::Source source, NewPolicy& policy);
  void apply(cluster::Source source, model::Node& node);
  void apply(cluster::Source source, const model::Pod& pod);
  void apply(cluster::Source source, model::DeviceClass& device_class);
  void apply(cluster::Source source, model::ResourceSlice& slice);
  void apply(cluster::Source source, const model::ResourceClaim& claim);
  void end_list(cluster::Source source);
  void report(cluster::Source source, const std::string& space, const std::string& name,
              std::span<const std::string> invalid);
  void settle(cluster::Source source, bool absent);
  void publish_if_due();
  void report_device_problems();

  const WatchOptions& options_;
  ChangeQueue& queue_;
  std::deque<SourceHealth>& health_;
  Published<cluster::Snapshot>& snapshots_;
  const Clock& clock_;
  WatchObserver& observer_;

  cluster::ClusterState state_;
  std::array<bool, cluster::kAllSources.size()> settled_{};  // listed once, or absent
  bool changed_ = false;                                     // since the last snapshot
  std::vector<std::string> device_problems_;                 // those that were told
  Steady::time_point next_publish_{};
};

}  // namespace berth::kube
