/// Which rows have which labels.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "berth/cluster/topology.h"
#include "row_groups.h"

namespace berth::cluster {

/// Immutable. Points into the labels of the records that it was built from: whoever owns the index
/// keeps them alive.
class LabelIndex {
 public:
  /// Row i is `records[i]`. Cost: O(labels), and a sort of the distinct values.
  explicit LabelIndex(std::span<const std::shared_ptr<const NodeRecord>> records);

  void add_rows_with(std::string_view key, std::string_view value, RowSet& rows) const;
  void add_rows_with_key(std::string_view key, RowSet& rows) const;
  /// See Topology::add_matching_rows.
  void add_matching_rows(const model::NodeSelectorRequirement& requirement, RowSet& rows) const;

 private:
  struct Value {
    std::string_view text;
    RowGroups::Group rows;
  };
  struct Key {
    std::string_view text;
    RowGroups::Group rows;
    std::vector<Value> values;  // sorted
  };
  [[nodiscard]] const Key* find(std::string_view key) const;
  void add_rows_compared(const model::NodeSelectorRequirement& requirement, RowSet& rows) const;

  RowGroups groups_;
  std::vector<Key> keys_;  // sorted
};

}  // namespace berth::cluster
