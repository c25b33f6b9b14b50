#include "cluster_writer.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace berth::kube {

using cluster::Source;

ClusterWriter::ClusterWriter(const WatchOptions& options, model::GpuPolicy gpu_policy,
                             ChangeQueue& queue, std::deque<SourceHealth>& health,
                             Published<cluster::Snapshot>& snapshots, const Clock& clock,
                             WatchObserver& observer)
    : options_(options),
      queue_(queue),
      health_(health),
      snapshots_(snapshots),
      clock_(clock),
      observer_(observer),
      state_(std::move(gpu_policy)) {}

void ClusterWriter::run() {
  while (!queue_.closed()) {
    auto changes = queue_.take(changed_ ? std::optional(next_publish_) : std::nullopt);
    for (Change& change : changes) apply(change);
    publish_if_due();
  }
}

void ClusterWriter::apply(Change& change) {
  std::visit([&](auto& what) { apply(change.source, what); }, change.what);
}

void ClusterWriter::apply(Source source, ListBegins) {
  if (source == Source::kNodes) state_.begin_nodes();
  if (source == Source::kPods) state_.begin_pods();
}

void ClusterWriter::apply(Source source, ListEnds) {
  if (source == Source::kNodes) state_.end_nodes();
  if (source == Source::kPods) state_.end_pods();
  settle(source, false);
}

void ClusterWriter::apply(Source source, KindAbsent) { settle(source, true); }

void ClusterWriter::apply(Source source, const Deleted& deleted) {
  if (source == Source::kNodes) state_.remove_node(deleted.name, deleted.uid);
  if (source == Source::kPods) state_.remove_pod(deleted.uid);
  changed_ = true;
}

void ClusterWriter::apply(Source /*source*/, NewPolicy& policy) {
  state_.set_gpu_policy(std::move(policy));
  changed_ = true;
}

void ClusterWriter::apply(Source source, model::Node& node) {
  report(source, node.name, node.invalid_quantities);
  state_.upsert_node(std::move(node), clock_.now());
  changed_ = true;
}

void ClusterWriter::apply(Source source, const model::Pod& pod) {
  report(source, pod.namespace_name + "/" + pod.name, pod.invalid_requests);
  state_.upsert_pod(pod);
  changed_ = true;
  if (options_.on_binding) options_.on_binding({pod.uid, pod.node_name});
}

void ClusterWriter::report(Source source, const std::string& object,
                           std::span<const std::string> invalid) {
  if (invalid.empty()) return;
  observer_.on_unreadable_quantities(source, invalid.size(),
                                     object + ": " + model::summary_of(invalid));
}

void ClusterWriter::settle(Source source, bool absent) {
  settled_[static_cast<std::size_t>(source)] = true;
  for (SourceHealth& health : health_) {
    if (health.source() == source) health.synced(absent);
  }
  changed_ = true;
}

void ClusterWriter::publish_if_due() {
  if (!changed_) return;
  const bool complete = std::all_of(health_.begin(), health_.end(), [this](const auto& health) {
    return settled_[static_cast<std::size_t>(health.source())];
  });
  // Half a cluster would be worse than none: it looks emptier, or smaller, than it is.
  if (!complete) {
    changed_ = false;
    return;
  }
  const auto now = Steady::now();
  if (now < next_publish_) return;
  snapshots_.publish(state_.snapshot(clock_.now()));
  observer_.on_publish(state_.pods());
  changed_ = false;
  next_publish_ = now + options_.publish_interval;
}

}  // namespace berth::kube
