#include "berth/model/labels.h"

#include <algorithm>

namespace berth::model {

Labels::Labels(std::initializer_list<Entry> entries) : Labels(std::vector<Entry>(entries)) {}

Labels::Labels(std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i + 1 < entries.size() && entries[i + 1].first == entries[i].first) continue;
    set(entries[i].first, entries[i].second);
  }
  shrink_to_fit();
}

Labels::Entry Labels::entry(std::size_t index) const {
  const std::string_view text = text_;
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1].value;
  const auto [key, value] = ends_[index];
  return {text.substr(begin, key - begin), text.substr(key, value - key)};
}

std::size_t Labels::lower_bound(std::string_view key) const {
  if (!empty() && entry(size() - 1).first < key) return size();
  std::size_t low = 0;
  std::size_t high = size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (entry(middle).first < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void Labels::set(std::string_view key, std::string_view value) {
  const std::size_t at = lower_bound(key);
  const std::size_t begin = at == 0 ? 0 : ends_[at - 1].value;
  std::size_t replaced = 0;
  if (at < size() && entry(at).first == key) {
    replaced = ends_[at].value - begin;
  } else {
    ends_.insert(ends_.begin() + static_cast<std::ptrdiff_t>(at), Ends{});
  }
  std::string both(key);
  both += value;
  text_.replace(begin, replaced, both);
  ends_[at] = {static_cast<std::uint32_t>(begin + key.size()),
               static_cast<std::uint32_t>(begin + both.size())};
  for (std::size_t i = at + 1; i < size(); ++i) {
    ends_[i].key += static_cast<std::uint32_t>(both.size() - replaced);
    ends_[i].value += static_cast<std::uint32_t>(both.size() - replaced);
  }
}

void Labels::shrink_to_fit() {
  text_.shrink_to_fit();
  ends_.shrink_to_fit();
}

std::optional<std::string_view> Labels::find(std::string_view key) const {
  const std::size_t at = lower_bound(key);
  if (at == size() || entry(at).first != key) return std::nullopt;
  return entry(at).second;
}

}  // namespace berth::model
