/// Labels or annotations: a small map from string to string, in key order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::model {

/// Value type, compact: nodes have dozens of labels, and there are thousands of nodes, so all text
/// stands in one string. Views stay valid until the next change. Cost of a look-up: logarithmic.
class Labels {
 public:
  using Entry = std::pair<std::string_view, std::string_view>;

  /// Yields entries by value.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = const Entry*;
    using reference = Entry;

    Iterator(const Labels* labels, std::size_t index) : labels_(labels), index_(index) {}
    Entry operator*() const { return labels_->entry(index_); }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) { return {labels_, index_++}; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Labels* labels_;
    std::size_t index_;
  };

  Labels() = default;
  /// In any order; of equal keys the last stays. Cost: n log n, whatever the order.
  Labels(std::initializer_list<Entry> entries);
  explicit Labels(std::vector<Entry> entries);

  /// Cost: the key's own length in key order, else all that comes behind it.
  void set(std::string_view key, std::string_view value);
  void shrink_to_fit();

  [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const;
  [[nodiscard]] bool empty() const { return ends_.empty(); }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size()}; }
  friend bool operator==(const Labels&, const Labels&) = default;

 private:
  struct Ends {
    std::uint32_t key = 0;
    std::uint32_t value = 0;
    friend bool operator==(const Ends&, const Ends&) = default;
  };
  [[nodiscard]] Entry entry(std::size_t index) const;
  [[nodiscard]] std::size_t lower_bound(std::string_view key) const;

  std::string text_;  // keys and values by turns, in key order
  std::vector<Ends> ends_;
};

}  // namespace berth::model
