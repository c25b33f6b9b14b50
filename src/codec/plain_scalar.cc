// What an unquoted YAML scalar means to Kubernetes' tools, see yaml.h.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "berth/codec/extender_reply.h"
#include "berth/codec/yaml.h"

namespace berth::codec {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return text;
}

/// Cuts a run of digits off the front of `text`; returns how many.
std::size_t take_digits(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(end);
  return end;
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`; `json`: in JSON's narrower grammar.
bool is_decimal(std::string_view text, bool json) {
  if (json && text.starts_with('+')) return false;
  text = without_sign(text);
  const bool leading_zero = text.size() > 1 && text[0] == '0' && is_digit(text[1]);
  const std::size_t whole = take_digits(text);
  if (json && (whole == 0 || leading_zero)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t fraction = take_digits(text);
    if (fraction == 0 && (json || whole == 0)) return false;
  } else if (whole == 0) {
    return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text = without_sign(text.substr(1));
    if (take_digits(text) == 0) return false;
  }
  return text.empty();
}

/// Go's strconv.ParseInt with base 0, for what is not a JSON number already.
std::optional<std::string> integer_json(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = without_sign(text);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char mark = digits[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    const bool has_mark = base != 8 || mark == 'o' || mark == 'O';
    digits.remove_prefix(has_mark ? 2 : 1);
  }
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, problem] = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || stop != end || problem != std::errc()) return std::nullopt;
  return (negative && value != 0 ? "-" : "") + std::to_string(value);
}

std::optional<std::string> float_json(std::string_view text) {
  if (!is_decimal(text, false)) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (stop != end || problem != std::errc() || !std::isfinite(value)) return std::nullopt;
  if (is_decimal(text, true)) return std::string(text);
  std::array<char, 32> digits{};
  return std::string(digits.data(),
                     std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

}  // namespace

PlainScalar resolve_plain_scalar(std::string_view text) {
  if (is_one_of(text, kNull)) return {ScalarType::kNull, "null"};
  if (is_one_of(text, kTrue)) return {ScalarType::kBoolean, "true"};
  if (is_one_of(text, kFalse)) return {ScalarType::kBoolean, "false"};
  const char first = text.front();
  if (is_digit(first) || first == '-' || first == '+' || first == '.') {
    std::string plain(text);
    if (first != '.') std::erase(plain, '_');
    const bool whole = plain.find_first_of(".eE") == std::string::npos;
    if (first != '.' && whole && is_decimal(plain, true)) return {ScalarType::kInteger, plain};
    if (first != '.') {
      if (auto json = integer_json(plain)) return {ScalarType::kInteger, *std::move(json)};
    }
    if (auto json = float_json(plain)) return {ScalarType::kFloat, *std::move(json)};
  }
  return {ScalarType::kString, quote_json(text)};
}

}  // namespace berth::codec
