/// Typed reading of the members of one parsed object, with the path of what is wrong.
#pragma once

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/labels.h"
#include "berth/model/resources.h"

namespace berth::codec {

/// Where a value stands: a chain on the stack, spelt out only for an error.
struct Path {
  static constexpr std::size_t kNoIndex = SIZE_MAX;
  const Path* parent = nullptr;
  std::string_view key;
  std::size_t index = kNoIndex;

  [[nodiscard]] Path member(std::string_view name) const { return {this, name, kNoIndex}; }
  [[nodiscard]] Path item(std::size_t number) const { return {this, {}, number}; }
  /// spec.containers[0].resources; empty for the root.
  [[nodiscard]] std::string to_string() const;
};

/// A value, or nothing: absent and null are the same.
using Value = std::optional<simdjson::dom::element>;

/// The first wrong type ends up in error(); what is read after it does not matter.
class ObjectReader {
 public:
  /// `number_texts`: the object was parsed with JsonDom::parse_keeping_numbers.
  explicit ObjectReader(bool number_texts) : number_texts_(number_texts) {}

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  /// A quantity was written as a number whose text the parser did not keep: read the object again
  /// with number_texts.
  [[nodiscard]] bool needs_number_texts() const { return needs_number_texts_; }

  /// The last value of each key.
  template <std::size_t N>
  std::array<Value, N> members(const Path& path, const Value& object,
                               const std::array<std::string_view, N>& keys) {
    std::array<Value, N> values;
    read_members(path, object, keys.data(), values.data(), N);
    return values;
  }

  void read(const Path& path, const Value& value, std::string& out);
  void read(const Path& path, const Value& value, bool& out);
  void read(const Path& path, const Value& value, std::int64_t& out);
  void read(const Path& path, const Value& value, std::vector<std::string>& out);
  void read(const Path& path, const Value& value, model::Labels& out);

  /// What becomes of a quantity that cannot be read or is negative.
  enum class BadQuantity { kLeftOut, kZero };
  /// Each bad one is also described in `problems`.
  void read(const Path& path, const Value& value, BadQuantity treatment, model::ResourceList& out,
            std::vector<std::string>& problems);

  /// The same, but for keys that the object `other` has not.
  void read_unless_in(const Value& other, const Path& path, const Value& value,
                      BadQuantity treatment, model::ResourceList& out,
                      std::vector<std::string>& problems);

  /// Calls visit(path, value) for each element of an array, in order.
  template <typename Visit>
  void each(const Path& path, const Value& array, Visit visit) {
    const std::vector<Value> values = elements(path, array);
    for (std::size_t i = 0; i < values.size() && !error_; ++i) visit(path.item(i), values[i]);
  }

  void fail(const Path& path, std::string_view wanted, const simdjson::dom::element& found);

 private:
  void read_members(const Path& path, const Value& object, const std::string_view* keys,
                    Value* values, std::size_t count);
  [[nodiscard]] std::vector<Value> elements(const Path& path, const Value& array);
  /// The members of a map in key order, the last value of each key.
  struct Entry;
  [[nodiscard]] std::vector<Entry> entries(const Path& path, const Value& object);
  [[nodiscard]] std::optional<model::Quantity> quantity(const Path& path, const Value& value,
                                                        std::vector<std::string>& problems);
  [[nodiscard]] std::optional<std::string> quantity_text(const Path& path, const Value& value);

  bool number_texts_;
  bool needs_number_texts_ = false;
  std::optional<Error> error_;
};

}  // namespace berth::codec
