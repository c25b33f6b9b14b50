/// Strict reading of a YAML value tree: every key known, every value of its type, the first thing
/// that is wrong kept with its place and path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/codec/yaml.h"

namespace berth::app {

/// The word of `words` that `text` most likely was meant to be, or none.
[[nodiscard]] std::optional<std::string_view> closest_word(std::string_view text,
                                                           std::span<const std::string_view> words);

/// "a", "a or b", "a, b or c".
[[nodiscard]] std::string list_words(std::span<const std::string_view> words);

/// A value and the path of keys that leads to it ("policy.affinity.grace").
struct Located {
  const codec::YamlValue& value;
  std::string path;
};

class ConfigurationReader {
 public:
  explicit ConfigurationReader(std::string_view file) : file_(file) {}

  /// What a map may hold; `read` is called for values that are not null.
  struct Key {
    std::string_view name;
    std::function<void(const Located&)> read;
  };
  void map(const Located& at, const std::vector<Key>& keys);
  /// Calls `read` per item. Null items are errors.
  void sequence(const Located& at, std::size_t max_items,
                const std::function<void(const Located&)>& read);

  /// The text of a scalar of any type: for values with a grammar of their own.
  [[nodiscard]] std::optional<std::string> scalar(const Located& at, std::string_view what);
  /// A string; what YAML takes for a number or a boolean must be quoted.
  [[nodiscard]] std::optional<std::string> string(const Located& at);
  /// One of `words`.
  [[nodiscard]] std::optional<std::string> word(const Located& at,
                                                std::span<const std::string_view> words);
  [[nodiscard]] std::optional<std::int64_t> integer(const Located& at, std::int64_t least,
                                                    std::int64_t most);
  [[nodiscard]] std::optional<float> number(const Located& at, float least, float most);

  /// Keeps the first failure; reading goes on harmlessly.
  void fail(const Located& at, std::string_view message);
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  std::string file_;
  std::optional<Error> error_;
};

/// Whether YAML 1.1 reads `text` as an octal number, which nobody means here: 0777.
[[nodiscard]] bool looks_octal(std::string_view text);

/// `text` in quotes, escaped, and cut when it is long: fit for a message.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace berth::app
