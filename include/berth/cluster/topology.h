/// What changes slowly about a cluster: its nodes, their order, labels, taints and sizes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/row_set.h"
#include "berth/cluster/name_index.h"
#include "berth/model/devices.h"
#include "berth/model/gpu_policy.h"
#include "berth/model/node.h"
#include "berth/model/readiness.h"

namespace berth::cluster {

/// The position of a resource among the columns of one topology.
struct ResourceColumn {
  std::uint32_t index = 0;
  friend constexpr auto operator<=>(ResourceColumn, ResourceColumn) = default;
};

/// Distinct resources that get a column. Full-node requests bring resource names from outside, so
/// there must be an end to them; those that most nodes list are kept, any other counts as a
/// resource that no node has.
inline constexpr std::size_t kMaxResources = 256;

/// One node and what we saw happen to it.
struct NodeRecord {
  model::Node node;
  model::ReadinessHistory history;
  model::DeviceOffers offers{};  ///< what DRA has there
};

/// Immutable once built; shared by snapshots. Thread-safe: reads only.
///
/// Rows are in berth's node order: fewest GPUs first, then a hash of the name (then the name). The
/// first of equally good rows is therefore the one that berth prefers.
class Topology {
 public:
  /// Names must be unique. `devices_anywhere`: resources of devices that are not bound to one node.
  /// Cost: O(nodes x labels) and a sort.
  [[nodiscard]] static std::shared_ptr<const Topology> build(
      std::span<const std::shared_ptr<const NodeRecord>> nodes, const model::GpuPolicy& gpu_policy,
      std::vector<std::string> devices_anywhere = {});

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::size_t padded_rows() const;  ///< rows() rounded up to whole words
  [[nodiscard]] std::optional<Row> find(std::string_view name) const;
  [[nodiscard]] const model::Node& node(Row row) const;
  [[nodiscard]] const model::ReadinessHistory& history(Row row) const;
  [[nodiscard]] const model::GpuPolicy& gpu_policy() const;
  [[nodiscard]] const std::vector<std::string>& devices_anywhere() const;

  // Label index. Values of one key are disjoint sets of rows.
  void add_rows_with(std::string_view key, std::string_view value, RowSet& rows) const;
  void add_rows_with_key(std::string_view key, RowSet& rows) const;
  /// Adds the rows for which `model::matches(requirement, labels)` holds (none if it is invalid).
  void add_matching_rows(const model::NodeSelectorRequirement& requirement, RowSet& rows) const;

  [[nodiscard]] const RowSet& cordoned() const;
  /// Adds the rows with a NoSchedule or NoExecute taint that none of `tolerations` covers. Cost:
  /// one look at each distinct list of taints, not at each node.
  void add_untolerated_rows(std::span<const model::Toleration> tolerations, RowSet& rows) const;

  // Readiness inputs, see model::ReadinessInputs.
  [[nodiscard]] const RowSet& label_rule_holds() const;
  [[nodiscard]] const RowSet& gpus_allocatable() const;
  [[nodiscard]] const RowSet& reconfiguring() const;
  [[nodiscard]] const RowSet& leaving() const;
  [[nodiscard]] const RowSet& gpu_sign() const;
  [[nodiscard]] const model::ReadinessInputs& readiness_inputs(Row row) const;
  /// The rows that model::judge() calls label-pending. Cost: O(those rows).
  [[nodiscard]] RowSet label_pending(Time now) const;

  // Columns, in the units of model::to_units(), padded_rows() long, zero beyond rows(). A negative
  // allocatable counts as zero. On delegated rows devices that DRA has there count as allocatable.
  [[nodiscard]] std::optional<ResourceColumn> column(std::string_view resource) const;
  [[nodiscard]] std::span<const std::string> resources() const;  ///< by column
  [[nodiscard]] std::span<const std::int64_t> allocatable(ResourceColumn column) const;
  /// Rows with any of it allocatable.
  [[nodiscard]] const RowSet& rows_with(ResourceColumn column) const;
  /// Rows where nothing of it is allocatable and DRA may serve it: kube-scheduler judges it there.
  /// Null: none, which is the rule. Cost: none worth counting.
  [[nodiscard]] const RowSet* delegated(ResourceColumn column) const;
  [[nodiscard]] bool any_delegated() const;
  /// 1 / allocatable, 0 where there is none.
  [[nodiscard]] std::span<const float> inverse_allocatable(ResourceColumn column) const;

 private:
  Topology() = default;
  struct Index;
  struct Builder;
  std::shared_ptr<const Index> index_;
};

}  // namespace berth::cluster
