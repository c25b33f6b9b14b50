#include "test/harness/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

TEST(RawMembers, KeepsTheBytesOfEveryValue) {
  const auto members = raw_members(R"( { "a" : {"x":[1, "}"]} , "b\"" : "\\" ,"c":-1.5e3} )");
  ASSERT_TRUE(members);
  EXPECT_THAT(*members, ElementsAre(Pair("a", R"({"x":[1, "}"]})"), Pair("b\"", R"("\\")"),
                                    Pair("c", "-1.5e3")));
}

TEST(RawMembers, AreNoneForOtherValues) {
  EXPECT_FALSE(raw_members("[]"));
  EXPECT_FALSE(raw_members("null"));
}

TEST(RawElements, KeepsTheBytesOfEveryElement) {
  const auto elements = raw_elements(R"([ {"a" : 1} ,[2], "x,]" ])");
  ASSERT_TRUE(elements);
  EXPECT_THAT(*elements, ElementsAre(R"({"a" : 1})", "[2]", R"("x,]")"));
  EXPECT_THAT(*raw_elements("[]"), IsEmpty());
}

TEST(FindIgnoringCase, FindsAKeyHoweverItIsWritten) {
  const RawMembers members = {{"nodenames", "[]"}};
  EXPECT_EQ(find_ignoring_case(members, "NodeNames"), "[]");
  EXPECT_FALSE(find_ignoring_case(members, "Nodes"));
}

TEST(JsonProblems, AreNoneForOneValueAndANewline) {
  EXPECT_THAT(json_problems("{\"a\":{\"a\":1},\"b\":[{\"a\":1},{\"a\":2}]}\n"), IsEmpty());
}

class JsonProblems : public ::testing::TestWithParam<const char*> {};

TEST_P(JsonProblems, AreReported) { EXPECT_THAT(json_problems(GetParam()), Not(IsEmpty())); }

INSTANTIATE_TEST_SUITE_P(Faults, JsonProblems,
                         ::testing::Values("", "{", "{} x", "\xEF\xBB\xBF{}", R"({"a":1,"a":1})",
                                           R"([{"a":{"b":1,"b":2}}])"));

}  // namespace
}  // namespace berth::harness
