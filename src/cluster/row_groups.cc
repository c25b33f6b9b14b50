#include "row_groups.h"

namespace berth::cluster {

RowGroups::Group RowGroups::add(std::span<const std::uint32_t> rows) {
  Group group;
  group.count = static_cast<std::uint32_t>(rows.size());
  group.as_bits = rows.size() * 8 * sizeof(std::uint32_t) > rows_;
  if (group.as_bits) {
    group.first = static_cast<std::uint32_t>(bits_.size());
    RowSet& bits = bits_.emplace_back(rows_);
    for (const auto row : rows) bits.insert(Row{row});
  } else {
    group.first = static_cast<std::uint32_t>(lists_.size());
    lists_.insert(lists_.end(), rows.begin(), rows.end());
  }
  return group;
}

void RowGroups::add_to(Group group, RowSet& rows) const {
  if (group.as_bits) {
    rows |= bits_[group.first];
    return;
  }
  for (const auto row : std::span(lists_).subspan(group.first, group.count)) {
    rows.insert(Row{row});
  }
}

}  // namespace berth::cluster
