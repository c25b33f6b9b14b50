#include "berth/model/quantity.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "quoted.h"

namespace berth::model {
namespace {

constexpr Int128 kNanoPerUnit = 1'000'000'000;
constexpr Int128 kNanoPerMilli = 1'000'000;
constexpr Int128 kMaxNano = Int128{INT64_MAX} * kNanoPerUnit;
constexpr int kNanoExponent = 9;
constexpr int kMaxExponent = 30;
constexpr std::string_view kSuffixLetters = "eEinumkKMGTP";

constexpr Int128 clamped(Int128 nano) { return std::clamp(nano, -kMaxNano, kMaxNano); }

std::int64_t divided_away_from_zero(Int128 nano, Int128 divisor) {
  Int128 quotient = nano / divisor;
  if (nano % divisor != 0) quotient += nano > 0 ? 1 : -1;
  return static_cast<std::int64_t>(std::clamp(quotient, Int128{-INT64_MAX}, Int128{INT64_MAX}));
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What a quantity's text consists of; views into it.
struct Parts {
  bool negative = false;
  std::string_view integer;
  std::string_view fraction;
  std::string_view suffix;
};

/// Takes the longest prefix of `text` whose characters satisfy `wanted`.
template <typename Predicate>
std::string_view take(std::string_view& text, Predicate wanted) {
  const auto end = std::find_if_not(text.begin(), text.end(), wanted);
  const auto length = static_cast<std::string_view::size_type>(end - text.begin());
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return taken;
}

bool take_sign(std::string_view& text) {
  if (text.empty() || (text.front() != '-' && text.front() != '+')) return false;
  const bool negative = text.front() == '-';
  text.remove_prefix(1);
  return negative;
}

/// Splits as apimachinery's parseQuantityString does, down to what counts as part of a suffix:
/// `--1` has the suffix "-1" (and fails as one), while `1gi` is no quantity at all.
std::optional<Parts> split(std::string_view text) {
  if (text.empty()) return std::nullopt;
  Parts parts;
  parts.negative = take_sign(text);
  parts.integer = take(text, is_digit);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    parts.fraction = take(text, is_digit);
  }
  parts.suffix = text;
  take(text, [](char c) { return kSuffixLetters.find(c) != std::string_view::npos; });
  take_sign(text);
  take(text, is_digit);
  if (!text.empty()) return std::nullopt;
  return parts;
}

/// 10^exponent or 2^shift; one of them is zero.
struct Scale {
  int exponent = 0;
  int shift = 0;
};

struct NamedScale {
  std::string_view suffix;
  Scale scale;
};

constexpr NamedScale kNamedScales[] = {
    {"", {0, 0}},    {"n", {-9, 0}},  {"u", {-6, 0}},  {"m", {-3, 0}},
    {"k", {3, 0}},   {"M", {6, 0}},   {"G", {9, 0}},   {"T", {12, 0}},
    {"P", {15, 0}},  {"E", {18, 0}},  {"Ki", {0, 10}}, {"Mi", {0, 20}},
    {"Gi", {0, 30}}, {"Ti", {0, 40}}, {"Pi", {0, 50}}, {"Ei", {0, 60}},
};

std::optional<Scale> scale_of(std::string_view suffix) {
  for (const NamedScale& named : kNamedScales) {
    if (named.suffix == suffix) return named.scale;
  }
  if (suffix.size() < 2 || (suffix.front() != 'e' && suffix.front() != 'E')) return std::nullopt;
  suffix.remove_prefix(1);
  // from_chars takes a minus but no plus.
  if (suffix.front() == '+' && suffix.size() > 1 && is_digit(suffix[1])) suffix.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] =
      std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent, 10);
  if (error != std::errc{} || end != suffix.data() + suffix.size()) return std::nullopt;
  if (exponent < -kMaxExponent || exponent > kMaxExponent) return std::nullopt;
  return Scale{exponent, 0};
}

/// The magnitude of integer.fraction * 10^exponent in nano-units, rounded up, saturating.
/// Cost: linear in the digits.
Int128 scaled_decimal(const Parts& parts, int exponent) {
  Int128 nano = 0;
  bool inexact = false;
  // The power of ten, in nano-units, that the next digit stands for.
  auto weight = static_cast<std::ptrdiff_t>(parts.integer.size()) - 1 + kNanoExponent + exponent;
  for (const std::string_view digits : {parts.integer, parts.fraction}) {
    for (const char c : digits) {
      const int digit = c - '0';
      if (weight-- < 0) {
        inexact = inexact || digit != 0;
        continue;
      }
      nano = nano * 10 + digit;
      if (nano > kMaxNano) return kMaxNano;  // later digits only make it larger
    }
  }
  for (; weight >= 0 && nano != 0; --weight) {
    nano *= 10;
    if (nano > kMaxNano) return kMaxNano;
  }
  return clamped(nano + (inexact ? 1 : 0));
}

/// A binary unit, in nano-units, divides 10^69. So behind that many digits nothing can reach the
/// next nano-unit but by rounding: whether there is anything at all is enough to know.
constexpr std::string_view::size_type kExactDigits = 69;

/// The magnitude of integer.fraction * 2^shift in nano-units, rounded up, saturating.
/// Cost: linear in the digits.
Int128 scaled_binary(const Parts& parts, int shift) {
  const Int128 unit = kNanoPerUnit << shift;  // at most 2^90
  Int128 whole = 0;
  for (const char c : parts.integer) {
    whole = whole * 10 + (c - '0');
    if (whole > INT64_MAX) return kMaxNano;
  }
  if (whole > kMaxNano / unit) return kMaxNano;

  std::string_view fraction = parts.fraction;
  bool inexact = false;
  if (fraction.size() > kExactDigits) {
    inexact = fraction.find_first_not_of('0', kExactDigits) != std::string_view::npos;
    fraction = fraction.substr(0, kExactDigits);
  }
  Int128 part = 0;  // from the last digit to the first: (digit * unit + what is behind it) / 10
  for (auto digit = fraction.rbegin(); digit != fraction.rend(); ++digit) {
    const Int128 tenfold = (*digit - '0') * unit + part;
    inexact = inexact || tenfold % 10 != 0;
    part = tenfold / 10;
  }
  return clamped(whole * unit + part + (inexact ? 1 : 0));
}

Error invalid(std::string_view text, std::string_view why) {
  return Error{ErrorCode::kInvalidArgument, "quantity " + quoted(text) + ": " + std::string(why)};
}

}  // namespace

Quantity Quantity::from_units(std::int64_t units) {
  return Quantity(clamped(Int128{units} * kNanoPerUnit));
}

Quantity Quantity::from_milli(std::int64_t milli) { return Quantity(milli * kNanoPerMilli); }

Quantity Quantity::from_nano(Int128 nano) { return Quantity(clamped(nano)); }

std::int64_t Quantity::value() const { return divided_away_from_zero(nano_, kNanoPerUnit); }

std::int64_t Quantity::milli_value() const { return divided_away_from_zero(nano_, kNanoPerMilli); }

Quantity& Quantity::operator+=(Quantity other) {
  nano_ = clamped(nano_ + other.nano_);
  return *this;
}

Result<Quantity> parse_quantity(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return invalid(text, "not a number with a suffix");
  const auto scale = scale_of(parts->suffix);
  if (!scale) return invalid(text, "unknown suffix, or an exponent beyond +-30");
  const Int128 magnitude = scale->shift != 0 ? scaled_binary(*parts, scale->shift)
                                             : scaled_decimal(*parts, scale->exponent);
  return Quantity::from_nano(parts->negative ? -magnitude : magnitude);
}

std::string summary_of(std::span<const std::string> complaints) {
  std::string text = complaints.front();
  if (complaints.size() > 1) text += " (and " + std::to_string(complaints.size() - 1) + " more)";
  return text;
}

}  // namespace berth::model
