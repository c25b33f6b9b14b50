/// A set of rows as 64-row words: the form in which nodes are filtered.
#pragma once

#include <bit>
#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth {

/// The position of a node in one snapshot. Meaningless with any other snapshot.
struct Row {
  std::uint32_t index = 0;
  friend constexpr auto operator<=>(Row, Row) = default;
};

inline constexpr std::size_t kRowsPerWord = 64;
[[nodiscard]] constexpr std::size_t words_for(std::size_t rows) {
  return (rows + kRowsPerWord - 1) / kRowsPerWord;
}

/// A fixed-size set of rows. Bits beyond size() are always zero. Value type; not thread-safe for
/// writing. Binary operators require operands of equal size.
class RowSet {
 public:
  RowSet() = default;
  explicit RowSet(std::size_t rows) : rows_(rows), words_(words_for(rows), 0) {}

  [[nodiscard]] static RowSet all(std::size_t rows) {
    RowSet set(rows);
    for (auto& word : set.words_) word = ~std::uint64_t{0};
    set.trim();
    return set;
  }

  [[nodiscard]] std::size_t size() const { return rows_; }
  [[nodiscard]] std::size_t word_count() const { return words_.size(); }
  [[nodiscard]] std::uint64_t word(std::size_t i) const { return words_[i]; }
  [[nodiscard]] std::uint64_t* data() { return words_.data(); }  ///< keep bits beyond size() zero
  [[nodiscard]] const std::uint64_t* data() const { return words_.data(); }

  [[nodiscard]] bool contains(Row row) const {
    assert(row.index < rows_);
    return ((words_[row.index / kRowsPerWord] >> (row.index % kRowsPerWord)) & 1U) != 0;
  }
  void insert(Row row) {
    assert(row.index < rows_);
    words_[row.index / kRowsPerWord] |= std::uint64_t{1} << (row.index % kRowsPerWord);
  }
  void erase(Row row) {
    assert(row.index < rows_);
    words_[row.index / kRowsPerWord] &= ~(std::uint64_t{1} << (row.index % kRowsPerWord));
  }

  [[nodiscard]] std::size_t count() const {
    std::size_t total = 0;
    for (const auto word : words_) total += static_cast<std::size_t>(std::popcount(word));
    return total;
  }
  [[nodiscard]] bool empty() const {
    for (const auto word : words_) {
      if (word != 0) return false;
    }
    return true;
  }

  RowSet& operator&=(const RowSet& other) {
    assert(rows_ == other.rows_);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  RowSet& operator|=(const RowSet& other) {
    assert(rows_ == other.rows_);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  /// Removes every row of `other`.
  RowSet& operator-=(const RowSet& other) {
    assert(rows_ == other.rows_);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  [[nodiscard]] RowSet complement() const {
    RowSet result = all(rows_);
    result -= *this;
    return result;
  }

  /// Calls `visit(Row)` for each member, ascending.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        visit(Row{static_cast<std::uint32_t>(i * kRowsPerWord) +
                  static_cast<std::uint32_t>(std::countr_zero(word))});
      }
    }
  }

  friend bool operator==(const RowSet&, const RowSet&) = default;

 private:
  void trim() {
    if (rows_ % kRowsPerWord != 0) words_.back() >>= kRowsPerWord - rows_ % kRowsPerWord;
  }

  std::size_t rows_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace berth
