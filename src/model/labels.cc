#include "berth/model/labels.h"

#include <algorithm>

namespace berth::model {
namespace {

bool before(const Labels::Entry& entry, std::string_view key) { return entry.first < key; }

}  // namespace

Labels::Labels(std::initializer_list<Entry> entries) : Labels(std::vector<Entry>(entries)) {}

Labels::Labels(std::vector<Entry> entries) : entries_(std::move(entries)) {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.first < b.first; });
  // Of equal keys the last stays: unique() keeps the first, so it walks backwards.
  const auto kept = std::unique(entries_.rbegin(), entries_.rend(),
                                [](const Entry& a, const Entry& b) { return a.first == b.first; });
  entries_.erase(entries_.begin(), kept.base());
}

void Labels::set(std::string_view key, std::string_view value) {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), key, before);
  if (at != entries_.end() && at->first == key) {
    at->second = value;
  } else {
    entries_.emplace(at, key, value);
  }
}

const std::string* Labels::find(std::string_view key) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), key, before);
  return at != entries_.end() && at->first == key ? &at->second : nullptr;
}

}  // namespace berth::model
