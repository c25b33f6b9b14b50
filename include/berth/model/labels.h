/// Labels or annotations: a small map from string to string, in key order.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::model {

/// Value type. Cost of a look-up: logarithmic.
class Labels {
 public:
  using Entry = std::pair<std::string, std::string>;

  Labels() = default;
  Labels(std::initializer_list<Entry> entries);
  /// In any order; of equal keys the last stays. Cost: n log n, whatever the order, where as many
  /// calls of set() may cost n^2.
  explicit Labels(std::vector<Entry> entries);

  void set(std::string_view key, std::string_view value);
  [[nodiscard]] const std::string* find(std::string_view key) const;  ///< null when missing
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  friend bool operator==(const Labels&, const Labels&) = default;

 private:
  std::vector<Entry> entries_;  // sorted by key
};

}  // namespace berth::model
