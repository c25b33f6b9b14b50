/// Many sets of rows in little memory: a bit set for a common one, a list for a rare one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/base/row_set.h"

namespace berth::cluster {

/// Append-only store of sets over the same number of rows. A group costs at most four bytes per
/// member and at most one bit per row.
class RowGroups {
 public:
  /// Names one set of the store.
  struct Group {
    std::uint32_t first = 0;  // into lists_, or the index of a bit set
    std::uint32_t count = 0;
    bool as_bits = false;
  };

  explicit RowGroups(std::size_t rows) : rows_(rows) {}

  /// REQUIRES: no row twice.
  Group add(std::span<const std::uint32_t> rows);
  void add_to(Group group, RowSet& rows) const;

 private:
  std::size_t rows_;
  std::vector<std::uint32_t> lists_;
  std::vector<RowSet> bits_;
};

}  // namespace berth::cluster
