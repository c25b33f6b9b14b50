#include "berth/model/time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace berth::model {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr Time kNoon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 30) + 12h;

const auto kCaseName = [](const auto& test) { return std::string(test.param.name); };

struct TimeCase {
  const char* name;
  const char* text;
  Time want;
};

void PrintTo(const TimeCase& test, std::ostream* out) { *out << test.text; }

class ReadsTime : public ::testing::TestWithParam<TimeCase> {};
TEST_P(ReadsTime, AsWritten) {
  const auto got = parse_rfc3339(GetParam().text);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ((*got - GetParam().want).count(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Rfc3339, ReadsTime,
    ::testing::Values(
        TimeCase{"Utc", "2026-11-30T12:00:00Z", kNoon},
        TimeCase{"SmallLetters", "2026-11-30t12:00:00z", kNoon},
        TimeCase{"EastOfUtc", "2026-11-30T13:00:00+01:00", kNoon},
        TimeCase{"WestOfUtc", "2026-11-30T06:30:00-05:30", kNoon},
        TimeCase{"OverMidnight", "2026-12-01T01:00:00+13:00", kNoon},
        TimeCase{"Fraction", "2026-11-30T12:00:00.5Z", kNoon + 500ms},
        TimeCase{"MicroTime", "2026-11-30T12:00:00.000001Z", kNoon + 1us},
        TimeCase{"Nanoseconds", "2026-11-30T12:00:00.123456789Z", kNoon + 123456789ns},
        TimeCase{"MoreThanNanoseconds", "2026-11-30T12:00:00.1234567899Z", kNoon + 123456789ns},
        TimeCase{"FractionAndOffset", "2026-11-30T13:00:00.5+01:00", kNoon + 500ms},
        TimeCase{"Epoch", "1970-01-01T00:00:00Z", Time()},
        TimeCase{"BeforeTheEpoch", "1969-12-31T23:59:59.5Z", Time() - 500ms},
        TimeCase{"LeapDay", "2024-02-29T00:00:00Z",
                 std::chrono::sys_days(std::chrono::year(2024) / 2 / 29)},
        TimeCase{"FirstYear", "1678-01-01T00:00:00+23:59",
                 std::chrono::sys_days(std::chrono::year(1678) / 1 / 1) - 23h - 59min},
        TimeCase{"LastYear", "2261-12-31T23:59:59-23:59",
                 std::chrono::sys_days(std::chrono::year(2262) / 1 / 1) - 1s + 23h + 59min}),
    kCaseName);

TEST(ParseRfc3339, RefusesAllElseAndNamesIt) {
  for (const auto* text : {"",
                           "now",
                           "2026-11-30",
                           "2026-11-30T12:00:00",
                           "2026-11-30 12:00:00Z",
                           "2026-11-30T12:00Z",
                           "2026-11-30T12:00:00.Z",
                           "2026-11-30T12:00:00Zx",
                           "2026-11-30T12:00:00+0100",
                           "2026-11-30T12:00:00+24:00",
                           "2026-11-30T12:00:00+01:60",
                           "2026-13-30T12:00:00Z",
                           "2026-00-30T12:00:00Z",
                           "2026-02-29T12:00:00Z",
                           "2026-11-31T12:00:00Z",
                           "2026-11-00T12:00:00Z",
                           "2026-11-30T24:00:00Z",
                           "2026-11-30T12:60:00Z",
                           "2026-11-30T12:00:60Z",
                           "1677-12-31T00:00:00Z",
                           "2262-01-01T00:00:00Z",
                           "26-11-30T12:00:00Z",
                           "+026-11-30T12:00:00Z",
                           "2026-1-30T12:00:00Z",
                           "1796040000"}) {
    const auto got = parse_rfc3339(text);
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(got.error().message, HasSubstr(std::string("\"") + text + "\""));
  }
}

TEST(ToRfc3339, WritesWholeSecondsOfUtc) {
  EXPECT_EQ(to_rfc3339(kNoon), "2026-11-30T12:00:00Z");
  EXPECT_EQ(to_rfc3339(kNoon + 999ms), "2026-11-30T12:00:00Z");
  EXPECT_EQ(to_rfc3339(Time() - 1ns), "1969-12-31T23:59:59Z");
  EXPECT_EQ(to_rfc3339(*parse_rfc3339("1678-01-02T03:04:05Z")), "1678-01-02T03:04:05Z");
  EXPECT_EQ(to_rfc3339(Time::min()), "1677-09-21T00:12:43Z");
  EXPECT_EQ(to_rfc3339(Time::max()), "2262-04-11T23:47:16Z");
}

struct DurationCase {
  const char* name;
  const char* text;
  Duration want;
};

void PrintTo(const DurationCase& test, std::ostream* out) { *out << test.text; }

class ReadsDuration : public ::testing::TestWithParam<DurationCase> {};
TEST_P(ReadsDuration, AsGoDoes) {
  const auto got = parse_duration(GetParam().text);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->count(), GetParam().want.count());
}

INSTANTIATE_TEST_SUITE_P(
    Durations, ReadsDuration,
    ::testing::Values(
        DurationCase{"Zero", "0", 0ns}, DurationCase{"PlusZero", "+0", 0ns},
        DurationCase{"Minutes", "10m", 10min}, DurationCase{"Sum", "1h30m", 90min},
        DurationCase{"AnyOrder", "30m1h", 90min}, DurationCase{"Fraction", "1.5s", 1500ms},
        DurationCase{"FractionOnly", ".5h", 30min}, DurationCase{"PointOnly", "5.s", 5s},
        DurationCase{"Milliseconds", "300ms", 300ms}, DurationCase{"Microseconds", "7us", 7us},
        DurationCase{"MicroSign", "7\xC2\xB5s", 7us}, DurationCase{"GreekMu", "7\xCE\xBCs", 7us},
        DurationCase{"Nanoseconds", "9ns", 9ns}, DurationCase{"PartOfANanosecond", "0.9ns", 0ns},
        DurationCase{"LongFraction", "0.1000000000000000000000009h", 6min},
        DurationCase{"Plus", "+5s", 5s}, DurationCase{"ZeroSeconds", "0s", 0ns},
        DurationCase{"Largest", "9223372036854775807ns", Duration::max()},
        DurationCase{"LargestInHours", "2562047h", 2562047h}),
    kCaseName);

TEST(ParseRfc3339, TellsAYearOutOfRangeFromANonsense) {
  for (const auto* text :
       {"9999-12-31T23:59:59Z", "1677-01-01T00:00:00Z", "2400-02-29T00:00:00Z"}) {
    EXPECT_THAT(parse_rfc3339(text).error().message,
                HasSubstr("the year must be from 1678 to 2261"))
        << text;
  }
  for (const auto* text : {"2026-02-29T12:00:00Z", "9999-12-31T23:59", "9999", "x"}) {
    EXPECT_THAT(parse_rfc3339(text).error().message, HasSubstr("not RFC 3339")) << text;
  }
}

TEST(ParseDuration, RefusesAllElseAndNamesIt) {
  for (const auto* text : {"",
                           "+",
                           "-",
                           "10",
                           "1h30",
                           "m",
                           ".s",
                           "1.2.3s",
                           "-1s",
                           "-0",
                           "1d",
                           "1 m",
                           "1h1h",
                           "1h1m1h",
                           " 1m",
                           "1m ",
                           "1M",
                           "1e3s",
                           "9223372036854775808ns",
                           "2562048h",
                           "9223372036854775807ns1ns",
                           "99999999999999999999999999s"}) {
    const auto got = parse_duration(text);
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(got.error().message, HasSubstr(std::string("\"") + text + "\""));
  }
}

TEST(ParseDuration, KnowsAUnitByItsOtherName) { EXPECT_FALSE(parse_duration("1us1\xC2\xB5s")); }

}  // namespace
}  // namespace berth::model
