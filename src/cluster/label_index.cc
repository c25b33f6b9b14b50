#include "label_index.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace berth::cluster {
namespace {

using Rows = std::vector<std::uint32_t>;

struct Collected {
  Rows rows;
  std::unordered_map<std::string_view, Rows> values;
};

std::unordered_map<std::string_view, Collected> collect(
    std::span<const std::shared_ptr<const NodeRecord>> records) {
  std::unordered_map<std::string_view, Collected> keys;
  for (std::uint32_t row = 0; row < records.size(); ++row) {
    for (const auto& [key, value] : records[row]->node.labels) {
      Collected& collected = keys[key];
      collected.rows.push_back(row);
      collected.values[value].push_back(row);
    }
  }
  return keys;
}

void sort_by_text(auto& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.text < b.text; });
}

const auto* find_by_text(const auto& entries, std::string_view text) {
  const auto at = std::lower_bound(
      entries.begin(), entries.end(), text,
      [](const auto& entry, std::string_view wanted) { return entry.text < wanted; });
  return at != entries.end() && at->text == text ? &*at : nullptr;
}

void complement_into(const RowSet& excluded, RowSet& rows) { rows |= excluded.complement(); }

}  // namespace

LabelIndex::LabelIndex(std::span<const std::shared_ptr<const NodeRecord>> records)
    : groups_(records.size()) {
  const auto collected = collect(records);
  keys_.reserve(collected.size());
  for (const auto& [text, found] : collected) {
    Key key{text, groups_.add(found.rows), {}};
    key.values.reserve(found.values.size());
    for (const auto& [value, rows] : found.values) {
      key.values.push_back({value, groups_.add(rows)});
    }
    sort_by_text(key.values);
    keys_.push_back(std::move(key));
  }
  sort_by_text(keys_);
}

const LabelIndex::Key* LabelIndex::find(std::string_view key) const {
  return find_by_text(keys_, key);
}

void LabelIndex::add_rows_with(std::string_view key, std::string_view value, RowSet& rows) const {
  const Key* found = find(key);
  if (found == nullptr) return;
  const Value* rows_of_value = find_by_text(found->values, value);
  if (rows_of_value != nullptr) groups_.add_to(rows_of_value->rows, rows);
}

void LabelIndex::add_rows_with_key(std::string_view key, RowSet& rows) const {
  const Key* found = find(key);
  if (found != nullptr) groups_.add_to(found->rows, rows);
}

void LabelIndex::add_rows_compared(const model::NodeSelectorRequirement& requirement,
                                   RowSet& rows) const {
  const Key* key = find(requirement.key);
  std::int64_t bound = 0;
  if (key == nullptr || !model::parse_label_integer(requirement.values[0], bound)) return;
  const bool greater = requirement.op == model::NodeSelectorOperator::kGt;
  for (const Value& value : key->values) {
    std::int64_t number = 0;
    if (!model::parse_label_integer(value.text, number)) continue;
    if (greater ? number > bound : number < bound) groups_.add_to(value.rows, rows);
  }
}

void LabelIndex::add_matching_rows(const model::NodeSelectorRequirement& requirement,
                                   RowSet& rows) const {
  using enum model::NodeSelectorOperator;
  if (!model::validate(requirement)) return;
  RowSet excluded(requirement.op == kNotIn || requirement.op == kDoesNotExist ? rows.size() : 0);
  switch (requirement.op) {
    case kIn:
      for (const auto& value : requirement.values) add_rows_with(requirement.key, value, rows);
      return;
    case kNotIn:
      for (const auto& value : requirement.values) add_rows_with(requirement.key, value, excluded);
      complement_into(excluded, rows);
      return;
    case kExists:
      add_rows_with_key(requirement.key, rows);
      return;
    case kDoesNotExist:
      add_rows_with_key(requirement.key, excluded);
      complement_into(excluded, rows);
      return;
    case kGt:
    case kLt:
      add_rows_compared(requirement, rows);
      return;
    case kUnknown:
      return;
  }
}

}  // namespace berth::cluster
