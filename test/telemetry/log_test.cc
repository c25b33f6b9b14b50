#include "berth/telemetry/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace berth::telemetry {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What one value looks like as text and as JSON.
struct ValueCase {
  const char* name;
  LogValue value;
  const char* text;
  const char* json;
};

class LogWrites : public ::testing::TestWithParam<ValueCase> {
 protected:
  static std::string line(LogFormat format, const LogValue& value) {
    std::string caught;
    Log log({format, LogLevel::kDebug, [&](std::string_view line) { caught += line; }});
    log.info("m", {{"k", value}});
    return caught;
  }
};

TEST_P(LogWrites, ValuesOnOneLine) {
  EXPECT_THAT(line(LogFormat::kText, GetParam().value),
              EndsWith(std::string("Z level=info msg=m k=") + GetParam().text + "\n"));
  EXPECT_THAT(
      line(LogFormat::kJson, GetParam().value),
      EndsWith(std::string(R"(Z","level":"info","msg":"m","k":)") + GetParam().json + "}\n"));
}

INSTANTIATE_TEST_SUITE_P(
    Values, LogWrites,
    ::testing::Values(
        ValueCase{"Word", "node-7", "node-7", R"("node-7")"},
        ValueCase{"Empty", "", R"("")", R"("")"}, ValueCase{"Space", "a b", R"("a b")", R"("a b")"},
        ValueCase{"Equals", "a=b", R"("a=b")", R"("a=b")"},
        ValueCase{"Quote", "a\"b", R"("a\"b")", R"("a\"b")"},
        ValueCase{"Backslash", "a\\b", R"("a\\b")", R"("a\\b")"},
        ValueCase{"Newline", "a\nlevel=error", R"("a\nlevel=error")", R"("a\nlevel=error")"},
        ValueCase{"Controls", std::string_view("\0\x1b[2J\x7f", 6), R"("\u0000\u001b[2J\u007f")",
                  R"("\u0000\u001b[2J\u007f")"},
        ValueCase{"C1Control", "\xC2\x9B", R"("\u009b")", R"("\u009b")"},
        ValueCase{"LineSeparator", "\xE2\x80\xA8", R"("\u2028")", R"("\u2028")"},
        ValueCase{"Utf8", "sch\xC3\xB6n", "\"sch\xC3\xB6n\"", "\"sch\xC3\xB6n\""},
        ValueCase{"BrokenUtf8", "\xFF\xC0\xAF\xE2\x82",
                  "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                  "\xEF\xBF\xBD\xEF\xBF\xBD\"",
                  "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        ValueCase{"Percent", "%v {} %n", R"("%v {} %n")", R"("%v {} %n")"},
        ValueCase{"Integer", -5, "-5", "-5"},
        ValueCase{"Largest", UINT64_MAX, "18446744073709551615", "18446744073709551615"},
        ValueCase{"Real", 1.5, "1.5", "1.5"}, ValueCase{"NotANumber", 0.0 / 0.0, "null", "null"},
        ValueCase{"True", true, "true", "true"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Log, StartsEveryLineWithTheTimeInUtc) {
  std::string text;
  Log log({LogFormat::kText, LogLevel::kInfo, [&](std::string_view line) { text += line; }});
  log.info("started");
  EXPECT_THAT(text, ContainsRegex(
                        "^time=[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z"));
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  std::string text;
  Log log({LogFormat::kText, LogLevel::kWarn, [&](std::string_view line) { text += line; }});
  log.debug("no");
  log.info("no");
  EXPECT_EQ(text, "");
  EXPECT_FALSE(log.enabled(LogLevel::kInfo));
  log.warn("yes");
  log.error("yes");
  EXPECT_THAT(text, HasSubstr("level=warn msg=yes\n"));
  EXPECT_THAT(text, HasSubstr("level=error msg=yes\n"));
}

TEST(Log, CutsLongValues) {
  std::string text;
  Log log({LogFormat::kText, LogLevel::kInfo, [&](std::string_view line) { text += line; }});
  log.info("m", {{"k", std::string(1'000'000, 'x')}});
  EXPECT_LT(text.size(), Log::kMaxValueBytes + 100);
}

TEST(Log, KeepsLinesOfManyThreadsWhole) {
  std::vector<std::string> lines;
  Log log({LogFormat::kJson, LogLevel::kInfo,
           [&](std::string_view line) { lines.emplace_back(line); }});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&log] {
      for (int j = 0; j < 200; ++j) log.info("m", {{"j", j}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lines.size(), 800U);
  for (const std::string& line : lines) {
    EXPECT_THAT(line, StartsWith("{\"time\":\""));
    EXPECT_THAT(line, EndsWith("}\n"));
  }
}

TEST(Log, KnowsItsWords) {
  EXPECT_EQ(parse_log_format("json"), LogFormat::kJson);
  EXPECT_EQ(parse_log_format("text"), LogFormat::kText);
  EXPECT_EQ(parse_log_format("xml"), std::nullopt);
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError}) {
    EXPECT_EQ(parse_log_level(to_string(level)), level);
  }
  EXPECT_EQ(parse_log_level("loud"), std::nullopt);
}

}  // namespace
}  // namespace berth::telemetry
