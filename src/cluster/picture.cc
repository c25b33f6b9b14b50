#include "berth/cluster/picture.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "berth/cluster/state.h"
#include "pod_traits.h"

namespace berth::cluster {
namespace {

/// Sorts pods into the parts of a picture; equal traits are stored once.
class Sorting {
 public:
  explicit Sorting(Picture::Parts& parts) : parts_(parts) {}

  void add(const model::Pod& pod) {
    if (model::waits_for_node(pod)) {
      parts_.pending.push_back(pod);
    } else if (model::holds_room(pod)) {
      parts_.pods[pod.node_name].push_back(
          {intern(traits_of(pod)), pod.name, pod.start_time.value_or(Time::min()),
           pod.phase == model::PodPhase::kRunning, pod.terminating});
    }
  }

 private:
  const PodTraits* intern(PodTraits traits) {
    const std::size_t hash = PodTraitsHash()(traits);
    const auto [first, last] = known_.equal_range(hash);
    const auto at = std::find_if(
        first, last, [&traits](const auto& candidate) { return *candidate.second == traits; });
    if (at != last) return at->second;
    parts_.traits.push_back(std::make_shared<const PodTraits>(std::move(traits)));
    return known_.emplace(hash, parts_.traits.back().get())->second;
  }

  Picture::Parts& parts_;
  std::unordered_multimap<std::size_t, const PodTraits*> known_;
};

/// "namespace/name" among `names`, without putting it together.
bool names_pod(std::span<const std::string> names, const PlacedPod& pod) {
  const std::string& space = pod.traits->namespace_name;
  return std::any_of(names.begin(), names.end(), [&](std::string_view each) {
    return each.size() == space.size() + 1 + pod.name.size() && each.starts_with(space) &&
           each[space.size()] == '/' && each.ends_with(pod.name);
  });
}

/// What pods hold together, saturated once.
Held sum_of(std::span<const PlacedPod> pods) {
  std::map<std::string_view, model::Int128> sums;
  for (const auto& pod : pods) {
    for (const auto& [resource, units] : pod.traits->requests) sums[resource] += units;
  }
  Held held;
  for (const auto& [resource, units] : sums) {
    held.push_back({std::string(resource), saturate(units)});
  }
  return held;
}

}  // namespace

std::span<const PlacedPod> Picture::pods(std::string_view node_name) const {
  const auto at = parts_->pods.find(node_name);
  if (at == parts_->pods.end()) return {};
  return at->second;
}

const model::Pod* Picture::pending(std::string_view namespace_name, std::string_view name) const {
  const auto at =
      std::find_if(parts_->pending.begin(), parts_->pending.end(), [&](const model::Pod& pod) {
        return pod.name == name && pod.namespace_name == namespace_name;
      });
  return at != parts_->pending.end() ? &*at : nullptr;
}

Picture Picture::with_nodes(std::vector<model::Node> nodes) const {
  Picture result = *this;
  result.snapshot_ = Snapshot::with_nodes(*snapshot_, std::move(nodes));
  return result;
}

Picture Picture::without_pods(std::string_view node_name, std::span<const std::string> pods) const {
  const auto place = parts_->pods.find(node_name);
  if (place == parts_->pods.end()) return *this;
  std::vector<PlacedPod> others = place->second;
  std::erase_if(others, [pods](const PlacedPod& pod) { return names_pod(pods, pod); });

  Parts parts = *parts_;
  parts.snapshot = Snapshot::with_held(*snapshot_, node_name, sum_of(others));
  parts.pods[place->first] = std::move(others);
  return Picture(std::move(parts));
}

Picture make_picture(PictureObjects objects, const model::GpuPolicy& gpu_policy, Time now) {
  Picture::Parts parts;
  // Of several pods with one identity the last counts, as in ClusterState::replace().
  std::unordered_map<std::string, const model::Pod*> newest;
  for (const auto& pod : objects.pods) newest[identity_of(pod)] = &pod;
  Sorting sorting(parts);
  for (const auto& pod : objects.pods) {
    if (newest[identity_of(pod)] == &pod) sorting.add(pod);
  }
  parts.namespaces = std::move(objects.namespaces);

  ClusterState state(gpu_policy);
  state.replace(std::move(objects.nodes), objects.pods, now, std::move(objects.devices));
  parts.snapshot = state.snapshot(now);
  return Picture(std::move(parts));
}

}  // namespace berth::cluster
