/// From node names to rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/row_set.h"

namespace berth::cluster {

/// A hash of a node name that is the same on every machine and in every release: it is part of
/// berth's node order.
[[nodiscard]] std::uint64_t hash_name(std::string_view name);

/// Immutable open-addressing table over names. Thread-safe: reads only.
/// Cost of find(): one hash and usually one comparison, no allocation.
class NameIndex {
 public:
  NameIndex() = default;
  /// `names[i]` becomes row i. REQUIRES: no name twice.
  explicit NameIndex(std::span<const std::string_view> names);

  [[nodiscard]] std::optional<Row> find(std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  [[nodiscard]] std::string_view name(Row row) const;

 private:
  struct Slot {
    std::uint32_t tag = 0;       // upper half of the hash
    std::uint32_t row_plus = 0;  // row + 1; 0: free
  };
  std::string bytes_;                   // all names, one after the other
  std::vector<std::uint32_t> offsets_;  // name i is bytes_[offsets_[i], offsets_[i + 1])
  std::vector<Slot> slots_;
};

}  // namespace berth::cluster
