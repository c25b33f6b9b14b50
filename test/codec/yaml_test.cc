#include "berth/codec/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace berth::codec {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::size_t kRoom = 1 << 20;

struct ScalarCase {
  const char* name;
  const char* text;
  const char* json;
};
class PlainScalarReads : public ::testing::TestWithParam<ScalarCase> {};

TEST_P(PlainScalarReads, WhatKubectlReads) {
  EXPECT_EQ(resolve_plain_scalar(GetParam().text).json, GetParam().json);
}
INSTANTIATE_TEST_SUITE_P(
    Texts, PlainScalarReads,
    ::testing::Values(
        ScalarCase{"Integer", "8", "8"}, ScalarCase{"Negative", "-12", "-12"},
        ScalarCase{"Plus", "+12", "12"},
        ScalarCase{"Large", "99999999999999999999", "99999999999999999999"},
        ScalarCase{"Hex", "0x1F", "31"}, ScalarCase{"NegativeHex", "-0x10", "-16"},
        ScalarCase{"Octal", "012", "10"}, ScalarCase{"NewOctal", "0o12", "10"},
        ScalarCase{"NoOctal", "089", "89"}, ScalarCase{"Binary", "0b101", "5"},
        ScalarCase{"Underscores", "1_000", "1000"}, ScalarCase{"Float", "1.50", "1.50"},
        ScalarCase{"Exponent", "1e3", "1e3"}, ScalarCase{"DotFirst", ".5", "0.5"},
        ScalarCase{"DotLast", "1.", "1"}, ScalarCase{"PlusFloat", "+1.5", "1.5"},
        ScalarCase{"Infinite", ".inf", "\".inf\""}, ScalarCase{"TooLarge", "1e999", "\"1e999\""},
        ScalarCase{"Quantity", "500m", "\"500m\""}, ScalarCase{"Memory", "32Gi", "\"32Gi\""},
        ScalarCase{"Time", "2026-11-30T12:00:00Z", "\"2026-11-30T12:00:00Z\""},
        ScalarCase{"Date", "2026-11-30", "\"2026-11-30\""},
        ScalarCase{"Sexagesimal", "12:30", "\"12:30\""},
        ScalarCase{"Version", "1.2.3", "\"1.2.3\""}, ScalarCase{"True", "true", "true"},
        ScalarCase{"On", "on", "true"}, ScalarCase{"Yes", "Yes", "true"},
        ScalarCase{"Y", "y", "true"}, ScalarCase{"No", "no", "false"},
        ScalarCase{"Off", "OFF", "false"}, ScalarCase{"MixedCase", "tRUE", "\"tRUE\""},
        ScalarCase{"Null", "null", "null"}, ScalarCase{"Tilde", "~", "null"},
        ScalarCase{"Empty", "", "null"}, ScalarCase{"Minus", "-", "\"-\""},
        ScalarCase{"Word", "soft", "\"soft\""}, ScalarCase{"HexWord", "0xZZ", "\"0xZZ\""},
        ScalarCase{"Zero", "0", "0"}, ScalarCase{"TwoSigns", "--1", "\"--1\""},
        ScalarCase{"SignInside", "0x-1", "\"0x-1\""}),
    [](const auto& test) { return std::string(test.param.name); });

struct JsonCase {
  const char* name;
  const char* yaml;
  const char* json;
};
class YamlToJson : public ::testing::TestWithParam<JsonCase> {};

TEST_P(YamlToJson, Converts) {
  const auto got = yaml_to_json(GetParam().yaml, kRoom);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->view(), GetParam().json);
}
INSTANTIATE_TEST_SUITE_P(
    Documents, YamlToJson,
    ::testing::Values(JsonCase{"Map", "a: 1\nb: {c: [x, '1', \"2\"]}\n",
                               "{\"a\":1,\"b\":{\"c\":[\"x\",\"1\",\"2\"]}}\n"},
                      JsonCase{"Block", "text: |\n  one\n  two\n", "{\"text\":\"one\\ntwo\\n\"}\n"},
                      JsonCase{"Empties", "a: {}\nb: []\nc:\n", "{\"a\":{},\"b\":[],\"c\":null}\n"},
                      JsonCase{"KeysBecomeStrings", "1: a\ntrue: b\n0x10: c\n'x': d\n",
                               "{\"1\":\"a\",\"true\":\"b\",\"16\":\"c\",\"x\":\"d\"}\n"},
                      JsonCase{"RepeatedKeysStay", "a: 1\na: 2\n", "{\"a\":1,\"a\":2}\n"},
                      JsonCase{"Documents", "---\na: 1\n---\nb: 2\n...\n",
                               "{\"a\":1}\n{\"b\":2}\n"},
                      JsonCase{"EmptyDocuments", "---\n---\na: 1\n---\n# nothing\n", "{\"a\":1}\n"},
                      JsonCase{"Nothing", "# only a comment\n", ""},
                      JsonCase{"Alias", "a: &x [1, 2]\nb: *x\nc: *x\n",
                               "{\"a\":[1,2],\"b\":[1,2],\"c\":[1,2]}\n"},
                      JsonCase{"ScalarAlias", "a: &x true\nb: *x\n", "{\"a\":true,\"b\":true}\n"},
                      JsonCase{"StringTag", "a: !!str 1\n", "{\"a\":\"1\"}\n"},
                      JsonCase{"IntTag", "a: !!int 12\n", "{\"a\":12}\n"},
                      JsonCase{"JsonIsYaml", "{\"a\": [true, null]}", "{\"a\":[true,null]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

struct BadCase {
  const char* name;
  std::string yaml;
  const char* why;
};
class YamlRefused : public ::testing::TestWithParam<BadCase> {};

TEST_P(YamlRefused, SaysWhereAndWhy) {
  const auto got = yaml_to_json(GetParam().yaml, kRoom);
  ASSERT_FALSE(got) << got->view();
  EXPECT_THAT(got.error().message, HasSubstr(GetParam().why));
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

std::string laughs() {
  std::string yaml = "l0: &l0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string below = "*l" + std::to_string(i - 1);
    yaml += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [" +
            repeated(below + ", ", 8) + below + "]\n";
  }
  return yaml;
}

INSTANTIATE_TEST_SUITE_P(
    Documents, YamlRefused,
    ::testing::Values(BadCase{"BillionLaughs", laughs(), "more than 1048576 bytes as JSON"},
                      BadCase{"DeepFlowOnOneLine", repeated("[", 100'000), "line 1"},
                      BadCase{"DeepFlow", repeated("[", 100) + repeated("]", 100),
                              "nested deeper than 64 levels"},
                      BadCase{"DeepBlock", repeated("- ", 100'000), "nested deeper than 64 levels"},
                      BadCase{"DeepKeys", repeated("? ", 100'000), "line 1"},
                      BadCase{"DeepMapsOnOneLine", repeated("{a: ", 100'000), "line 1"},
                      BadCase{"DeepMaps", repeated("{a: ", 100) + repeated("}", 100),
                              "nested deeper than 64 levels"},
                      BadCase{"StrayBracket", "]", "line 1, column 1"},
                      BadCase{"Unclosed", "a: [1, 2", "line 1"},
                      BadCase{"NotUtf8", "a: 1\nb: \"\xC3\x28\"\n", "line 2, column 1: not UTF-8"},
                      BadCase{"Latin1InAComment", "a: 1\n# caf\xE9", "line 2, column 1: not UTF-8"},
                      BadCase{"UndefinedAlias", "a: *b\n", "line 1"},
                      BadCase{"AliasInsideItself", "a: &a [*a]\n",
                              "the alias stands inside of what it names"},
                      BadCase{"AliasOfAnotherDocument", "a: &x 1\n---\nb: *x\n", "line 3"},
                      BadCase{"MergeKey", "a: {<<: {b: 1}}\n", "line 1, column 5: merge keys"},
                      BadCase{"UnknownTag", "a: !secret x\n", "unknown tag \"!secret\""},
                      BadCase{"MapAsKey", "? {a: 1}\n: b\n", "a key must be a word"},
                      BadCase{"NullKey", "~: b\n", "a key must not be null"},
                      BadCase{"Tabs", "a:\n\tb: 1\n", "line 2"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ParseYaml, KeepsPlaces) {
  std::vector<YamlValue> documents;
  YamlProblem problem;
  ASSERT_TRUE(parse_yaml("a:\n  - b: 'c'\n", {}, documents, problem)) << problem.message;
  ASSERT_THAT(documents, SizeIs(1));
  const YamlValue& item = documents[0].items[0].items[0];
  EXPECT_EQ(item.line, 2U);
  EXPECT_EQ(item.column, 5U);
  EXPECT_EQ(item.items[0].text, "c");
  EXPECT_TRUE(item.items[0].quoted);
}

TEST(ParseYaml, BoundsTheNumberOfValues) {
  std::vector<YamlValue> documents;
  YamlProblem problem;
  YamlLimits limits;
  limits.values = 10;
  EXPECT_FALSE(parse_yaml("[1,2,3,4,5,6,7,8,9,10,11]", limits, documents, problem));
  EXPECT_EQ(problem.message, "too many values");
}

TEST(YamlToJson, RefusesAnAliasBombBeforeItIsLarge) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j > 0 ? ", " : "") + alias;
    bomb += "]\n";
  }
  const auto json = yaml_to_json(bomb, std::size_t{1} << 40);
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(json.error().message, HasSubstr("aliases stand for more than 67108864 bytes"));
}

}  // namespace
}  // namespace berth::codec
