#include "berth/model/time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "berth/model/quantity.h"
#include "quoted.h"

namespace berth::model {
namespace {

constexpr int kMinYear = 1678;
constexpr int kMaxYear = 2261;
constexpr std::size_t kNanoDigits = 9;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads from the front of a text; a step that fails consumes nothing.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  bool literal(std::string_view one_of) {
    if (rest_.empty() || one_of.find(rest_.front()) == std::string_view::npos) return false;
    last_ = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] char last() const { return last_; }

  /// Exactly `width` digits whose number is in [low, high].
  bool number(std::size_t width, int low, int high, int& value) {
    if (rest_.size() < width || !std::all_of(rest_.begin(), rest_.begin() + width, is_digit)) {
      return false;
    }
    std::from_chars(rest_.data(), rest_.data() + width, value);
    rest_.remove_prefix(width);
    return low <= value && value <= high;
  }

  /// As many digits as there are.
  std::string_view digits() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_digit);
    const auto taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  bool word(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

 private:
  std::string_view rest_;
  char last_ = '\0';
};

/// The first nine fraction digits as nanoseconds; what is behind them is less than one.
std::chrono::nanoseconds nanoseconds_of(std::string_view fraction) {
  std::int64_t nanoseconds = 0;
  for (std::size_t i = 0; i < kNanoDigits; ++i) {
    nanoseconds = nanoseconds * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  }
  return std::chrono::nanoseconds(nanoseconds);
}

std::optional<std::chrono::sys_days> read_date(Reader& reader) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!reader.number(4, kMinYear, kMaxYear, year) || !reader.literal("-") ||
      !reader.number(2, 1, 12, month) || !reader.literal("-") || !reader.number(2, 1, 31, day)) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

std::optional<std::chrono::nanoseconds> read_time_of_day(Reader& reader) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!reader.number(2, 0, 23, hour) || !reader.literal(":") || !reader.number(2, 0, 59, minute) ||
      !reader.literal(":") || !reader.number(2, 0, 59, second)) {
    return std::nullopt;
  }
  std::chrono::nanoseconds time =
      std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second);
  if (reader.literal(".")) {
    const std::string_view fraction = reader.digits();
    if (fraction.empty()) return std::nullopt;
    time += nanoseconds_of(fraction);
  }
  return time;
}

std::optional<std::chrono::minutes> read_offset(Reader& reader) {
  if (reader.literal("Zz")) return std::chrono::minutes(0);
  if (!reader.literal("+-")) return std::nullopt;
  const int sign = reader.last() == '-' ? -1 : 1;
  int hour = 0;
  int minute = 0;
  if (!reader.number(2, 0, 23, hour) || !reader.literal(":") || !reader.number(2, 0, 59, minute)) {
    return std::nullopt;
  }
  return sign * (std::chrono::hours(hour) + std::chrono::minutes(minute));
}

std::optional<Time> read_time(Reader& reader) {
  const auto date = read_date(reader);
  if (!date || !reader.literal("Tt")) return std::nullopt;
  const auto time_of_day = read_time_of_day(reader);
  if (!time_of_day) return std::nullopt;
  const auto offset = read_offset(reader);
  if (!offset || !reader.at_end()) return std::nullopt;
  return Time(*date) + *time_of_day - *offset;
}

/// Whether only its year (of four digits) keeps it from being a time.
bool has_a_year_out_of_range(std::string_view text) {
  constexpr std::size_t kYearDigits = 4;
  int year = 0;
  if (!Reader(text).number(kYearDigits, 0, 9999, year)) return false;
  if (kMinYear <= year && year <= kMaxYear) return false;
  const std::string in_range = "2000" + std::string(text.substr(kYearDigits));  // a leap year
  Reader reader(in_range);
  return read_time(reader).has_value();
}

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

// Longer names first where one begins another. Go takes both signs for micro.
constexpr std::array kUnits = {
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"\xC2\xB5s", 1'000},
    Unit{"\xCE\xBCs", 1'000},
    Unit{"ms", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"m", 60'000'000'000},
    Unit{"h", 3'600'000'000'000},
};

std::optional<std::int64_t> read_unit(Reader& reader) {
  for (const Unit& unit : kUnits) {
    if (reader.word(unit.name)) return unit.nanoseconds;
  }
  return std::nullopt;
}

/// digits.digits unit, in nanoseconds rounded down; nothing when malformed, beyond int64, or of
/// a unit that is among `units` already, to which it is added.
std::optional<Int128> read_span(Reader& reader, std::vector<std::int64_t>& units) {
  const std::string_view integer = reader.digits();
  const std::string_view fraction = reader.literal(".") ? reader.digits() : std::string_view();
  if (integer.empty() && fraction.empty()) return std::nullopt;
  const auto unit = read_unit(reader);
  if (!unit || std::find(units.begin(), units.end(), *unit) != units.end()) return std::nullopt;
  units.push_back(*unit);

  Int128 total = 0;
  for (const char c : integer) {
    total = total * 10 + (c - '0');
    if (total > INT64_MAX) return std::nullopt;
  }
  total *= *unit;
  Int128 part = 0;  // no unit has more than 18 digits of nanoseconds
  Int128 divisor = 1;
  for (const char c : fraction.substr(0, 18)) {
    part = part * 10 + (c - '0');
    divisor *= 10;
  }
  return total + part * *unit / divisor;
}

}  // namespace

Result<Time> parse_rfc3339(std::string_view text) {
  Reader reader(text);
  if (const auto time = read_time(reader)) return *time;
  const bool only_the_year = has_a_year_out_of_range(text);
  return Error{ErrorCode::kInvalidArgument,
               "time " + quoted(text) +
                   (only_the_year ? ": the year must be from " + std::to_string(kMinYear) + " to " +
                                        std::to_string(kMaxYear)
                                  : ": not RFC 3339, such as 2026-11-30T12:00:00Z")};
}

std::string to_rfc3339(Time time) {
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time) - days);
  const auto two = [](auto number) {
    const std::string digits = std::to_string(number);
    return digits.size() < 2 ? "0" + digits : digits;
  };
  return std::to_string(static_cast<int>(date.year())) + "-" +  // always four digits, see Time
         two(static_cast<unsigned>(date.month())) + "-" + two(static_cast<unsigned>(date.day())) +
         "T" + two(clock.hours().count()) + ":" + two(clock.minutes().count()) + ":" +
         two(clock.seconds().count()) + "Z";
}

Result<Duration> parse_duration(std::string_view text) {
  const Error invalid{ErrorCode::kInvalidArgument,
                      "duration " + quoted(text) + ": not one, such as 10m or 1h30m"};
  Reader reader(text);
  reader.literal("+");
  if (reader.at_end()) return invalid;
  if (text == "0" || text == "+0") return Duration::zero();
  Int128 total = 0;
  std::vector<std::int64_t> units;
  while (!reader.at_end()) {
    const auto span = read_span(reader, units);
    if (!span) return invalid;
    total += *span;
    if (total > INT64_MAX) return invalid;
  }
  return Duration(static_cast<std::int64_t>(total));
}

}  // namespace berth::model
