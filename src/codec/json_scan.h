/// Finds where JSON values begin and end, without judging what is inside them: the envelope of a
/// request or a list is walked with this, and each value in it is then validated by the parser.
///
/// Why not the parser for everything: its index takes 4 bytes and its strings 1.7 for every byte
/// of the body, so a 512 MiB list of nodes would cost 2.9 GB; taken node by node it costs what the
/// largest node costs. Nothing here recurses or allocates.
///
/// All reads may touch kScanSlack bytes behind `end`; PaddedBuffer has them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace berth::codec {

inline constexpr std::size_t kScanSlack = 16;

/// The first byte of [at, end) that is a quote or a backslash, or `end`.
[[nodiscard]] const char* find_quote_or_backslash(const char* at, const char* end);

/// The first byte of [at, end) that is a quote, a backslash, a control character or not ASCII, or
/// `end`: a string without any of the last three reads the same escaped and unescaped.
[[nodiscard]] const char* find_not_plain(const char* at, const char* end);

/// A position in JSON text.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  [[nodiscard]] const char* position() const { return at_; }
  [[nodiscard]] bool at_end() const { return at_ == end_; }

  /// The next byte that is not white space, without taking it; '\0' at the end (as for a NUL,
  /// which is nothing that JSON allows there).
  [[nodiscard]] char peek();
  /// Takes the next byte that is not white space if it is `wanted`.
  [[nodiscard]] bool take(char wanted);
  /// Takes the value that begins at the next byte that is not white space: its text, or nothing
  /// when the text ends before the value does or no value begins here.
  [[nodiscard]] std::optional<std::string_view> take_value();
  /// The same for a string, quotes included.
  [[nodiscard]] std::optional<std::string_view> take_string();
  /// Takes a string without escapes, control characters and bytes beyond ASCII: the text between
  /// its quotes. Nothing, and nothing taken, when the string is not that plain.
  [[nodiscard]] std::optional<std::string_view> take_plain_string();

 private:
  [[nodiscard]] bool skip_string();     ///< REQUIRES: at a quote
  [[nodiscard]] bool skip_container();  ///< REQUIRES: at an opening bracket
  void skip_scalar();

  const char* at_;
  const char* end_;
};

/// The text of the last member of `object` with exactly this key; keys with escapes never match.
/// REQUIRES: `object` is valid JSON.
[[nodiscard]] std::optional<std::string_view> find_member(std::string_view object,
                                                          std::string_view key);

}  // namespace berth::codec
