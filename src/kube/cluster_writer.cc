#include "cluster_writer.h"

#include <algorithm>
#include <utility>

#ifdef __GLIBC__
extern "C" int malloc_trim(std::size_t kept) noexcept;  // of <malloc.h>
#endif

namespace berth::kube {
namespace {

/// What decoding a long list took goes back to the system, from the arenas of all threads.
void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace

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
    auto changes = changed_ ? queue_.gather(next_publish_) : queue_.take();
    for (Change& change : changes) apply(change);
    publish_if_due();
  }
}

void ClusterWriter::apply(Change& change) {
  std::visit([&](auto& what) { apply(change.source, what); }, change.what);
}

void ClusterWriter::apply(Source source, ListBegins) {
  switch (source) {
    case Source::kNodes:
      return state_.begin_nodes();
    case Source::kPods:
      return state_.begin_pods();
    case Source::kDeviceClasses:
      return state_.begin_device_classes();
    case Source::kResourceSlices:
      return state_.begin_resource_slices();
    case Source::kResourceClaims:
      return state_.begin_resource_claims();
  }
}

void ClusterWriter::end_list(Source source) {
  switch (source) {
    case Source::kNodes:
      return state_.end_nodes();
    case Source::kPods:
      return state_.end_pods();
    case Source::kDeviceClasses:
      return state_.end_device_classes();
    case Source::kResourceSlices:
      return state_.end_resource_slices();
    case Source::kResourceClaims:
      return state_.end_resource_claims();
  }
}

void ClusterWriter::apply(Source source, ListEnds) {
  end_list(source);
  settle(source, false);
  give_back_memory();
}

void ClusterWriter::apply(Source source, KindAbsent) {
  // What was served before an API server was changed is there no more.
  apply(source, ListBegins{});
  end_list(source);
  settle(source, true);
}

void ClusterWriter::apply(Source source, const Deleted& deleted) {
  changed_ = true;
  switch (source) {
    case Source::kNodes:
      return state_.remove_node(deleted.name, deleted.uid);
    case Source::kPods:
      return state_.remove_pod(deleted.uid);
    case Source::kDeviceClasses:
      return state_.remove_device_class(deleted.name, deleted.uid);
    case Source::kResourceSlices:
      return state_.remove_resource_slice(deleted.name, deleted.uid);
    case Source::kResourceClaims:
      return state_.remove_resource_claim(deleted.uid);
  }
}

void ClusterWriter::apply(Source /*source*/, NewPolicy& policy) {
  state_.set_gpu_policy(std::move(policy));
  changed_ = true;
}

void ClusterWriter::apply(Source source, model::Node& node) {
  report(source, {}, node.name, node.invalid_quantities);
  state_.upsert_node(std::move(node), clock_.now());
  changed_ = true;
}

void ClusterWriter::apply(Source source, const model::Pod& pod) {
  report(source, pod.namespace_name, pod.name, pod.invalid_requests);
  state_.upsert_pod(pod);
  changed_ = true;
  if (options_.on_binding) options_.on_binding({pod.uid, pod.node_name});
}

void ClusterWriter::apply(Source /*source*/, model::DeviceClass& device_class) {
  state_.upsert_device_class(std::move(device_class));
  changed_ = true;
}

void ClusterWriter::apply(Source /*source*/, model::ResourceSlice& slice) {
  state_.upsert_resource_slice(std::move(slice));
  changed_ = true;
}

void ClusterWriter::apply(Source /*source*/, const model::ResourceClaim& claim) {
  state_.upsert_resource_claim(claim);
  changed_ = true;
}

void ClusterWriter::report(Source source, const std::string& space, const std::string& name,
                           std::span<const std::string> invalid) {
  if (invalid.empty()) return;
  const std::string object = space.empty() ? name : space + "/" + name;
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
  if (options_.on_published) options_.on_published();
  observer_.on_publish(state_.pods());
  report_device_problems();
  changed_ = false;
  next_publish_ = now + options_.publish_interval;
}

/// Tells what cannot be counted once, for as long as it stays.
void ClusterWriter::report_device_problems() {
  auto problems = state_.device_problems();
  for (const std::string& problem : problems) {
    const auto known = std::find(device_problems_.begin(), device_problems_.end(), problem);
    if (known == device_problems_.end()) {
      observer_.on_unreadable(Source::kDeviceClasses, problem);
    }
  }
  device_problems_ = std::move(problems);
}

}  // namespace berth::kube
