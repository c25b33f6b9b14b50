/// The one mutable picture of the cluster. One thread writes it; readers get snapshots.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/cluster/snapshot.h"
#include "berth/model/devices.h"
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

  /// An object that is older than the one known is ignored: its resourceVersion is the smaller
  /// number (one that is no number is never older). Source: Kubernetes KEP-5504.
  void upsert_node(model::Node node, Time now);
  void upsert_pod(const model::Pod& pod);
  /// Nothing happens if the node of this name has another uid; an empty uid stands for any.
  void remove_node(std::string_view name, std::string_view uid = {});
  void remove_pod(std::string_view uid);

  /// What is upserted between begin and end is all there is of that kind: it counts whatever its
  /// resourceVersion, and end removes everything else. What is the same object as before keeps its
  /// history. A list that never ends changes nothing but what it upserted; begin starts it again.
  void begin_nodes();
  void end_nodes();
  void begin_pods();
  void end_pods();

  // GPUs by DRA: classes and slices are known by name, claims by uid; the order in which they and
  // nodes come does not matter. Older sights, uids and lists are treated as above.
  void upsert_device_class(model::DeviceClass device_class);
  void upsert_resource_slice(model::ResourceSlice slice);
  void upsert_resource_claim(const model::ResourceClaim& claim);
  void remove_device_class(std::string_view name, std::string_view uid = {});
  void remove_resource_slice(std::string_view name, std::string_view uid = {});
  void remove_resource_claim(std::string_view uid);
  void begin_device_classes();
  void end_device_classes();
  void begin_resource_slices();
  void end_resource_slices();
  void begin_resource_claims();
  void end_resource_claims();
  /// What berth cannot count of GPUs by DRA, in words, as of the last snapshot.
  [[nodiscard]] std::vector<std::string> device_problems() const;

  /// The cluster is now exactly this: every list at once. Of several objects with one identity the
  /// last counts.
  void replace(std::vector<model::Node> nodes, const std::vector<model::Pod>& pods, Time now,
               model::DeviceObjects devices = {});

  [[nodiscard]] std::size_t nodes() const;
  [[nodiscard]] std::size_t pods() const;  ///< those that hold room

  /// The next snapshot; the topology is shared with the last one while no node changed and DRA
  /// offers the same. GPUs by DRA that were not there in the last snapshot have appeared at `now`.
  /// Cost: O(nodes x resources); O(nodes x labels) more after a node change.
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot(Time now);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::cluster
