/// The one mutable picture of the cluster. One thread writes it; readers get snapshots.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "berth/cluster/snapshot.h"
#include "berth/model/gpu_policy.h"
#include "berth/model/node.h"
#include "berth/model/pod.h"

namespace berth::cluster {

/// Not thread-safe: one writer. Pods are known by uid, nodes by name; a node whose uid changes is
/// a new node. Pods without a node, terminal pods and pods on unknown nodes are legal: only
/// model::holds_room() pods hold room, those on unknown nodes as soon as the node appears. A pod
/// without a uid (a manifest written by hand) is known by "namespace/name".
/// Remembers of a pod only where it is and what it holds, some 60 bytes.
class ClusterState {
 public:
  explicit ClusterState(model::GpuPolicy gpu_policy);
  ~ClusterState();
  ClusterState(ClusterState&&) noexcept;
  ClusterState& operator=(ClusterState&&) noexcept;

  void set_gpu_policy(model::GpuPolicy gpu_policy);

  void upsert_node(model::Node node, Time now);
  void remove_node(std::string_view name);
  void upsert_pod(const model::Pod& pod);
  void remove_pod(std::string_view uid);

  /// The cluster is now exactly this. What is the same object as before keeps its history. Of
  /// several objects with one identity the last counts.
  void replace(std::vector<model::Node> nodes, const std::vector<model::Pod>& pods, Time now);

  [[nodiscard]] std::size_t nodes() const;
  [[nodiscard]] std::size_t pods() const;  ///< those that hold room

  /// The next snapshot; the topology is shared with the last one while no node changed.
  /// Cost: O(nodes x resources); O(nodes x labels) more after a node change.
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot(Time now);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::cluster
