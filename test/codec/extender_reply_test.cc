// Answers, byte for byte.
#include "berth/codec/extender_reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace berth::codec {
namespace {

constexpr std::array<std::string_view, 2> kReasons = {"Insufficient nvidia.com/gpu",
                                                      "node(s) GPU \"label\" pending"};

class ExtenderReply : public ::testing::Test {
 protected:
  const ExtenderArgs& decode(std::string_view text) {
    body_ = PaddedBuffer(text);
    const auto args = decoder_.decode(body_, {});
    EXPECT_TRUE(args) << args.error().message;
    return **args;
  }
  PaddedBuffer body_;
  ExtenderArgsDecoder decoder_;
};

TEST_F(ExtenderReply, MirrorsTheNamesForm) {
  const ExtenderArgs& args = decode(R"({"Pod":{},"Nodes":null,"NodeNames":["a","b","c\u0041"]})");
  const std::vector<FilterAnswer> answers = {{0, 0, true}, {1}, {2, 1, false}};
  EXPECT_EQ(
      encode_filter_result(args, answers, kReasons),
      R"({"Nodes":null,"NodeNames":["b"],"FailedNodes":{"a":"Insufficient nvidia.com/gpu"},)"
      R"("FailedAndUnresolvableNodes":{"c\u0041":"node(s) GPU \"label\" pending"},"Error":""})");
}

TEST_F(ExtenderReply, MirrorsTheFullNodeFormWithTheSameBytes) {
  const ExtenderArgs& args = decode(
      R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}, "x":1.50},{"metadata":{"name":"b"}},)"
      R"({"metadata":{"name":"c"}}]}})");
  const std::vector<FilterAnswer> answers = {{0}, {1, 0, true}, {2}};
  EXPECT_EQ(encode_filter_result(args, answers, kReasons),
            R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"a"}, "x":1.50},)"
            R"({"metadata":{"name":"c"}}]},"NodeNames":null,)"
            R"("FailedNodes":{"b":"Insufficient nvidia.com/gpu"},)"
            R"("FailedAndUnresolvableNodes":{},"Error":""})");
}

TEST_F(ExtenderReply, FillsBothFormsWhenBothWereGiven) {
  const ExtenderArgs& args = decode(
      R"({"Pod":{},"NodeNames":["ghost","a"],"Nodes":{"items":[{"metadata":{"name":"a"}}]}})");
  const std::vector<FilterAnswer> answers = {{0}, {1}};
  EXPECT_EQ(encode_filter_result(args, answers, kReasons),
            R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"a"}}]},)"
            R"("NodeNames":["ghost","a"],"FailedNodes":{},"FailedAndUnresolvableNodes":{},)"
            R"("Error":""})");
}

TEST_F(ExtenderReply, SaysThatNoNodePasses) {
  // null would be the same to kube-scheduler, but reads as "nothing said".
  constexpr std::string_view kNone =
      R"({"Nodes":null,"NodeNames":[],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})";
  EXPECT_EQ(encode_filter_result(decode(R"({"Pod":{}})"), {}, {}), kNone);
  EXPECT_EQ(encode_filter_result(decode(R"({"Pod":{},"NodeNames":[]})"), {}, {}), kNone);
  EXPECT_EQ(encode_filter_result(decode(R"({"Pod":{},"Nodes":{}})"), {}, {}),
            R"({"Nodes":{"metadata":{},"items":[]},"NodeNames":null,"FailedNodes":{},)"
            R"("FailedAndUnresolvableNodes":{},"Error":""})");
}

TEST_F(ExtenderReply, KeepsTheOrderOfTheAnswers) {
  const ExtenderArgs& args = decode(R"({"Pod":{},"NodeNames":["a","b","c"]})");
  const std::vector<FilterAnswer> answers = {{2}, {0}, {1}};
  EXPECT_EQ(nlohmann::json::parse(encode_filter_result(args, answers, {}))["NodeNames"],
            nlohmann::json::parse(R"(["c","a","b"])"));
}

TEST_F(ExtenderReply, GivesScoresAsABareArrayOfIntegers) {
  const ExtenderArgs& args = decode(R"({"Pod":{},"NodeNames":["a","b\"","c"]})");
  const std::vector<HostScore> scores = {{1, 10}, {0, 0}, {2, -3}};
  EXPECT_EQ(encode_host_priorities(args, scores),
            R"([{"Host":"b\"","Score":10},{"Host":"a","Score":0},{"Host":"c","Score":-3}])");
  EXPECT_EQ(encode_host_priorities(args, {}), "[]");
}

TEST_F(ExtenderReply, SurvivesNamesOfEveryLength) {
  std::string text = R"({"Pod":{},"Nodes":null,"NodeNames":[)";
  constexpr std::size_t kLongest = 100;
  for (std::size_t size = 0; size <= kLongest; ++size) {
    text +=
        (size == 0 ? "\"" : ",\"") + std::string(size, static_cast<char>('a' + size % 26)) + "\"";
  }
  const ExtenderArgs& args = decode(text + "]}");
  std::vector<FilterAnswer> passing;
  std::vector<FilterAnswer> failing;
  std::vector<HostScore> scores;
  for (std::uint32_t i = 0; i <= kLongest; ++i) {
    passing.push_back({i});
    failing.push_back({i, i % 2, i % 3 == 0});
    scores.push_back({i, static_cast<int>(i)});
  }
  const auto passed = nlohmann::json::parse(encode_filter_result(args, passing, kReasons));
  const auto failed = nlohmann::json::parse(encode_filter_result(args, failing, kReasons));
  const auto scored = nlohmann::json::parse(encode_host_priorities(args, scores));
  EXPECT_EQ(failed["FailedNodes"].size() + failed["FailedAndUnresolvableNodes"].size(),
            kLongest + 1);
  for (std::size_t i = 0; i <= kLongest; ++i) {
    const std::string name(args.requested[i].name);
    EXPECT_EQ(passed["NodeNames"][i], name);
    EXPECT_EQ(failed[i % 3 == 0 ? "FailedNodes" : "FailedAndUnresolvableNodes"][name],
              std::string(kReasons.at(i % 2)));
    EXPECT_EQ(scored[i]["Host"], name);
    EXPECT_EQ(scored[i]["Score"], i);
  }
}

TEST(EncodeError, IsAnObjectOfOneString) {
  EXPECT_EQ(encode_error("NodeNames[3]: want a string"),
            R"({"error":"NodeNames[3]: want a string"})");
}

struct QuoteCase {
  const char* name;
  std::string_view text;
  std::string_view want;
};
class QuoteJson : public ::testing::TestWithParam<QuoteCase> {};

TEST_P(QuoteJson, GivesAValidString) {
  const std::string quoted = quote_json(GetParam().text);
  EXPECT_EQ(quoted, GetParam().want);
  EXPECT_TRUE(nlohmann::json::accept(quoted));
}
INSTANTIATE_TEST_SUITE_P(
    Of, QuoteJson,
    ::testing::Values(QuoteCase{"Plain", "a/b", R"("a/b")"}, QuoteCase{"Nothing", "", R"("")"},
                      QuoteCase{"Quotes", "\"\\", R"("\"\\")"},
                      QuoteCase{"Controls", std::string_view("\0\n\x1F", 3), R"("\u0000\n\u001f")"},
                      QuoteCase{"Utf8", "é中😀", "\"é中😀\""},
                      QuoteCase{"BadUtf8", "a\xFFz", "\"a\xEF\xBF\xBDz\""},
                      QuoteCase{"CutUtf8", "\xE4\xB8", "\"\xEF\xBF\xBD\""}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace berth::codec
