/// The cluster with its pods one by one: what explaining and checking need beyond a snapshot.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/cluster/snapshot.h"
#include "berth/model/pod.h"

namespace berth::cluster {

/// What the pods of one workload have in common, as far as other pods depend on it. Stored once.
struct PodTraits {
  std::string namespace_name;
  model::Labels labels;
  std::int32_t priority = 0;
  std::vector<model::HostPort> host_ports;                     ///< of containers and sidecars
  std::vector<model::PodAffinityTerm> required_anti_affinity;  ///< with match_label_keys merged in
  Held requests;  ///< pod slots included, in name order
  friend bool operator==(const PodTraits&, const PodTraits&) = default;
};
/// Of a pod on a node (model::RequestBasis::kSpecAndStatus). The keys of match_label_keys and
/// mismatch_label_keys become In and NotIn of the pod's own value; one that the pod has no label
/// for, or that the selector asks about already, is left out; a term without a selector stays one.
/// Source: Kubernetes pkg/registry/core/pod/strategy.go, which does it when a pod is created.
[[nodiscard]] PodTraits traits_of(const model::Pod& pod);

/// A pod that holds room on a node.
struct PlacedPod {
  const PodTraits* traits = nullptr;  ///< owned by the picture
  std::string name;
  Time start = Time::min();  ///< status.startTime; missing: long ago
  bool running = false;      ///< phase Running
  bool terminating = false;
};

/// How long something usually takes on this cluster, from what was seen of it.
struct UsualDelay {
  std::size_t seen = 0;  ///< 0: nothing is known
  Duration median{};
  Duration p90{};
};

/// Immutable; readers keep what they read. Thread-safe: reads only.
class Picture {
 public:
  struct Parts {
    std::shared_ptr<const Snapshot> snapshot;
    std::vector<std::shared_ptr<const PodTraits>> traits;
    std::map<std::string, std::vector<PlacedPod>, std::less<>> pods;  ///< by node name
    std::vector<model::Pod> pending;  ///< without a node and not terminal
    std::map<std::string, model::Labels, std::less<>> namespaces;  ///< those that are known
    std::vector<ExpectedUse> expected;
    UsualDelay label_delay;   ///< from the grace clock's start to the label
    UsualDelay device_delay;  ///< the same to the GPUs
  };
  explicit Picture(Parts parts)
      : parts_(std::make_shared<const Parts>(std::move(parts))), snapshot_(parts_->snapshot) {}

  [[nodiscard]] const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }
  [[nodiscard]] const Topology& topology() const { return snapshot_->topology(); }
  /// The pods that hold room on a node, in no order; also of names that are not in the topology.
  [[nodiscard]] std::span<const PlacedPod> pods(std::string_view node_name) const;
  /// Null: no such pod waits.
  [[nodiscard]] const model::Pod* pending(std::string_view namespace_name,
                                          std::string_view name) const;
  /// Its snapshot is the one that the picture began with: with_nodes() changes only snapshot().
  [[nodiscard]] const Parts& parts() const { return *parts_; }

  /// The same pods on other nodes: what Snapshot::with_nodes() is to a snapshot.
  [[nodiscard]] Picture with_nodes(std::vector<model::Node> nodes) const;
  /// Without some pods of one node: names of the form "namespace/name". Cost: copies the columns
  /// and the map of pods.
  [[nodiscard]] Picture without_pods(std::string_view node_name,
                                     std::span<const std::string> pods) const;

 private:
  std::shared_ptr<const Parts> parts_;
  std::shared_ptr<const Snapshot> snapshot_;
};

/// The picture of a cluster at rest: every object at once. Of several nodes with one name, or pods
/// with one uid, the last counts. Nothing is expected there, and no delays are known.
struct PictureObjects {
  std::vector<model::Node> nodes;
  std::vector<model::Pod> pods;
  model::DeviceObjects devices;
  std::map<std::string, model::Labels, std::less<>> namespaces;
};
[[nodiscard]] Picture make_picture(PictureObjects objects, const model::GpuPolicy& gpu_policy,
                                   Time now);

}  // namespace berth::cluster
