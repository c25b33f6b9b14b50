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

/// What a pod that berth has placed in its mind will hold there.
struct ExpectedUse {
  std::string node_name;
  Held uses;
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

  /// `base` with more held, for scores alone: held_fraction() counts `uses` too, free() does not.
  /// Uses on unknown nodes and of unknown resources count for nothing. Cost: copies the fractions.
  [[nodiscard]] static std::shared_ptr<const Snapshot> with_expected(
      const Snapshot& base, std::span<const ExpectedUse> uses);

  /// `base` where the pods of one node hold `held` together (in name order, pod slots included;
  /// none: no pods are left) instead of what they held. Devices that claims hold stay held. What
  /// with_expected() added to that node is gone: apply it afterwards. Nothing changes on a name on
  /// which no pods are counted. Cost: copies the columns; counts one row again.
  [[nodiscard]] static std::shared_ptr<const Snapshot> with_held(const Snapshot& base,
                                                                 std::string_view node_name,
                                                                 Held held);

 private:
  friend class ClusterState;
  struct HeldTable;  // what is held, by node name, whether or not the node is known
  struct Columns {
    std::vector<std::vector<std::int64_t>> free;
    std::vector<std::vector<std::int64_t>> least_free;
  };
  using Fractions = std::vector<std::vector<float>>;
  class Counting;

  Snapshot() = default;
  static std::shared_ptr<const Snapshot> assemble(Counting& counting,
                                                  std::shared_ptr<const Topology> topology,
                                                  std::shared_ptr<const HeldTable> held,
                                                  std::uint64_t generation, Time taken_at);
  static std::shared_ptr<const Snapshot> make(std::shared_ptr<const Topology> topology,
                                              std::shared_ptr<const HeldTable> held,
                                              std::uint64_t generation, Time taken_at);
  /// What make() would give with the topology of `previous`, when what is held differs from
  /// `previous` only on the nodes `changed`. Cost: copies the columns.
  static std::shared_ptr<const Snapshot> make_next(const Snapshot& previous,
                                                   std::shared_ptr<const HeldTable> held,
                                                   std::span<const std::string_view> changed,
                                                   std::uint64_t generation, Time taken_at);

  std::shared_ptr<const Topology> topology_;
  std::shared_ptr<const HeldTable> held_;
  std::shared_ptr<const Columns> columns_;
  std::shared_ptr<const Fractions> held_fractions_;
  std::uint64_t generation_ = 0;
  Time taken_at_{};
};

}  // namespace berth::cluster
