/// The cluster at one moment: a shared topology and the room that is free on every node.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/cluster/topology.h"
#include "berth/model/resources.h"

namespace berth::cluster {

/// What the pods of one node hold together, in the units of model::to_units(); pod slots included
/// under "pods". In name order.
struct HeldResource {
  std::string resource;
  std::int64_t units = 0;
  friend bool operator==(const HeldResource&, const HeldResource&) = default;
};
using Held = std::vector<HeldResource>;

/// What DRA has on one node, and what claims hold of the devices that are counted in it.
struct DeviceRoom {
  model::DeviceOffers offers;
  Held allocated;
};

/// Immutable; readers keep what they read. Thread-safe: reads only.
class Snapshot {
 public:
  [[nodiscard]] const Topology& topology() const { return *topology_; }
  [[nodiscard]] std::size_t rows() const { return topology_->rows(); }

  /// Allocatable minus held, signed, padded_rows() long. On delegated rows (see Topology) claims
  /// hold devices, and what pods ask for is held through their claims.
  [[nodiscard]] std::span<const std::int64_t> free(ResourceColumn column) const;
  /// The least of free() in each 64-row word: where even that is enough, a scan need not look.
  [[nodiscard]] std::span<const std::int64_t> least_free(ResourceColumn column) const;
  /// Held / allocatable, as float, clamped to [0, 1]; 0 where nothing is allocatable.
  [[nodiscard]] std::span<const float> held_fraction(ResourceColumn column) const;

  /// What pods hold on a node name, also one that is not in the topology. Null: nothing.
  [[nodiscard]] const Held* held(std::string_view node_name) const;
  /// What DRA has on a node name, also one that is not in the topology. Null: nothing.
  [[nodiscard]] const DeviceRoom* devices(std::string_view node_name) const;

  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  [[nodiscard]] Time taken_at() const { return taken_at_; }

  /// The same pods and devices, other node facts: the full-node form of a request. Histories of
  /// nodes with the same uid are kept; of nodes with the same name the first counts. Generation and
  /// time are those of `base`. Cost: builds a topology of `nodes`.
  [[nodiscard]] static std::shared_ptr<const Snapshot> with_nodes(const Snapshot& base,
                                                                  std::vector<model::Node> nodes);

 private:
  friend class ClusterState;
  /// By node name, whether or not the node is known.
  struct HeldTable {
    std::shared_ptr<const NameIndex> names;
    // By row of `names`; null: nothing.
    std::vector<std::shared_ptr<const Held>> held;
    std::vector<std::shared_ptr<const DeviceRoom>> devices;  // empty: nothing anywhere
  };
  Snapshot() = default;
  static std::shared_ptr<const Snapshot> make(std::shared_ptr<const Topology> topology,
                                              std::shared_ptr<const HeldTable> held,
                                              std::uint64_t generation, Time taken_at);
  void subtract_held();
  void hold(ResourceColumn column, std::uint32_t row, std::int64_t units);
  void find_least_free();

  std::shared_ptr<const Topology> topology_;
  std::shared_ptr<const HeldTable> held_;
  std::vector<std::vector<std::int64_t>> free_;
  std::vector<std::vector<std::int64_t>> least_free_;
  std::vector<std::vector<float>> held_fraction_;
  std::uint64_t generation_ = 0;
  Time taken_at_{};
};

}  // namespace berth::cluster
