#include "berth/model/selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace berth::model {
namespace {

using ::testing::HasSubstr;
using Op = NodeSelectorOperator;
using Values = std::vector<std::string>;

const auto kCaseName = [](const auto& test) { return std::string(test.param.name); };

struct ExpressionCase {
  const char* name;
  Labels labels;
  NodeSelectorRequirement expression;
  bool want;
};

void PrintTo(const ExpressionCase& test, std::ostream* out) { *out << test.name; }

class ExpressionTable : public ::testing::TestWithParam<ExpressionCase> {};

TEST_P(ExpressionTable, DecidesItsTerm) {
  const NodeSelectorTerm term{{GetParam().expression}, {}};
  EXPECT_EQ(matches(term, GetParam().labels, "n1"), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Operators, ExpressionTable,
    ::testing::Values(
        ExpressionCase{"InOneOf", {{"gpu", "a100"}}, {"gpu", Op::kIn, {"a100", "h100"}}, true},
        ExpressionCase{"InOther", {{"gpu", "t4"}}, {"gpu", Op::kIn, {"a100", "h100"}}, false},
        ExpressionCase{"InHasCase", {{"gpu", "A100"}}, {"gpu", Op::kIn, {"a100"}}, false},
        ExpressionCase{"InMissing", {}, {"gpu", Op::kIn, {"a100"}}, false},
        ExpressionCase{"InMissingIsNotEmpty", {}, {"gpu", Op::kIn, {""}}, false},
        ExpressionCase{"InEmptyValue", {{"gpu", ""}}, {"gpu", Op::kIn, {""}}, true},
        ExpressionCase{"NotInMissing", {}, {"gpu", Op::kNotIn, {"a100"}}, true},
        ExpressionCase{"NotInOne", {{"gpu", "a100"}}, {"gpu", Op::kNotIn, {"a100"}}, false},
        ExpressionCase{"NotInOther", {{"gpu", "t4"}}, {"gpu", Op::kNotIn, {"a100"}}, true},
        ExpressionCase{"ExistsEmpty", {{"gpu", ""}}, {"gpu", Op::kExists, {}}, true},
        ExpressionCase{"ExistsMissing", {}, {"gpu", Op::kExists, {}}, false},
        ExpressionCase{"DoesNotExistMissing", {}, {"gpu", Op::kDoesNotExist, {}}, true},
        ExpressionCase{"DoesNotExistEmpty", {{"gpu", ""}}, {"gpu", Op::kDoesNotExist, {}}, false},
        ExpressionCase{"GtEqual", {{"mem", "80"}}, {"mem", Op::kGt, {"80"}}, false},
        ExpressionCase{"GtMore", {{"mem", "81"}}, {"mem", Op::kGt, {"80"}}, true},
        ExpressionCase{"GtMissing", {}, {"mem", Op::kGt, {"0"}}, false},
        ExpressionCase{"GtNoInteger", {{"mem", "80Gi"}}, {"mem", Op::kGt, {"40"}}, false},
        ExpressionCase{"GtDecimal", {{"mem", "1.5"}}, {"mem", Op::kGt, {"1"}}, false},
        ExpressionCase{
            "GtBeyondInt64", {{"mem", "9223372036854775808"}}, {"mem", Op::kGt, {"1"}}, false},
        ExpressionCase{"GtNegativeLabel", {{"mem", "-5"}}, {"mem", Op::kGt, {"0"}}, false},
        ExpressionCase{"LtNegativeLabel", {{"mem", "-5"}}, {"mem", Op::kLt, {"0"}}, true},
        ExpressionCase{"LtLeadingZero", {{"mem", "080"}}, {"mem", Op::kLt, {"81"}}, true},
        ExpressionCase{"LtEqual", {{"mem", "81"}}, {"mem", Op::kLt, {"81"}}, false},
        ExpressionCase{"LtMissing", {}, {"mem", Op::kLt, {"100"}}, false}),
    kCaseName);

INSTANTIATE_TEST_SUITE_P(
    InvalidMatchesNothing, ExpressionTable,
    ::testing::Values(
        ExpressionCase{"GtTwoValues", {{"mem", "5"}}, {"mem", Op::kGt, {"1", "2"}}, false},
        ExpressionCase{"GtNegativeValue", {{"mem", "5"}}, {"mem", Op::kGt, {"-5"}}, false},
        ExpressionCase{"NotInWithoutValues", {}, {"gpu", Op::kNotIn, {}}, false},
        ExpressionCase{"ExistsWithValue", {{"gpu", "a"}}, {"gpu", Op::kExists, {"a"}}, false},
        ExpressionCase{"DoesNotExistWithValue", {}, {"gpu", Op::kDoesNotExist, {"a"}}, false},
        ExpressionCase{"UnknownOperator", {{"gpu", "a"}}, {"gpu", Op::kUnknown, {"a"}}, false},
        ExpressionCase{"BadKey", {}, {"gpu!", Op::kDoesNotExist, {}}, false},
        ExpressionCase{"BadValue", {}, {"gpu", Op::kNotIn, {"a b"}}, false}),
    kCaseName);

struct RequirementCase {
  std::string name;
  NodeSelectorRequirement requirement;
};

void PrintTo(const RequirementCase& test, std::ostream* out) { *out << test.name; }

class ValidRequirement : public ::testing::TestWithParam<RequirementCase> {};
TEST_P(ValidRequirement, IsAccepted) {
  const auto status = validate(GetParam().requirement);
  EXPECT_TRUE(status) << status.error().message;
}

class InvalidRequirement : public ::testing::TestWithParam<RequirementCase> {};
TEST_P(InvalidRequirement, IsRefused) {
  const auto status = validate(GetParam().requirement);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
}

NodeSelectorRequirement key(std::string text) { return {std::move(text), Op::kExists, {}}; }
NodeSelectorRequirement value(std::string text) { return {"key", Op::kIn, {std::move(text)}}; }
/// A DNS subdomain of `length` characters in labels of one letter; odd lengths only.
std::string subdomain(std::size_t length) {
  std::string result = "a";
  while (result.size() < length) result += ".a";
  return result;
}

INSTANTIATE_TEST_SUITE_P(
    Keys, ValidRequirement,
    ::testing::Values(RequirementCase{"OneLetter", key("a")}, RequirementCase{"Case", key("GPU")},
                      RequirementCase{"Marks", key("a-b_c.D9")},
                      RequirementCase{"Prefix", key("nvidia.com/gpu.product")},
                      RequirementCase{"DigitPrefix", key("9a.1/x")},
                      RequirementCase{"LongestName", key(std::string(63, 'a'))},
                      RequirementCase{"LongestPrefix", key(subdomain(253) + "/a")}),
    kCaseName);
INSTANTIATE_TEST_SUITE_P(
    Keys, InvalidRequirement,
    ::testing::Values(RequirementCase{"Empty", key("")}, RequirementCase{"EmptyName", key("a/")},
                      RequirementCase{"EmptyPrefix", key("/a")},
                      RequirementCase{"TwoSlashes", key("a/b/c")},
                      RequirementCase{"MarkFirst", key("-a")},
                      RequirementCase{"MarkLast", key("a.")}, RequirementCase{"Space", key("a b")},
                      RequirementCase{"NotAscii", key("gr\xC3\xB6\xC3\x9F")},
                      RequirementCase{"CapitalPrefix", key("Nvidia.com/gpu")},
                      RequirementCase{"UnderscorePrefix", key("a_b/gpu")},
                      RequirementCase{"DotDotPrefix", key("a..b/gpu")},
                      RequirementCase{"DashFirstPrefix", key("-a/gpu")},
                      RequirementCase{"DashLastPrefix", key("a-.b/gpu")},
                      RequirementCase{"DotLastPrefix", key("a./gpu")},
                      RequirementCase{"LongName", key(std::string(64, 'a'))},
                      RequirementCase{"LongPrefix", key(subdomain(255) + "/a")}),
    kCaseName);
INSTANTIATE_TEST_SUITE_P(
    Values, ValidRequirement,
    ::testing::Values(RequirementCase{"Empty", value("")},
                      RequirementCase{"Marks", value("A-b_c.9")},
                      RequirementCase{"Longest", value(std::string(63, 'a'))},
                      RequirementCase{"Several", {"key", Op::kNotIn, {"a", "b", ""}}},
                      RequirementCase{"GtInteger", {"key", Op::kGt, {"007"}}},
                      RequirementCase{"LtLargest", {"key", Op::kLt, {"9223372036854775807"}}}),
    kCaseName);
INSTANTIATE_TEST_SUITE_P(
    Values, InvalidRequirement,
    ::testing::Values(RequirementCase{"MarkFirst", value("-a")},
                      RequirementCase{"MarkLast", value("a_")},
                      RequirementCase{"Slash", value("a/b")},
                      RequirementCase{"Long", value(std::string(64, 'a'))},
                      RequirementCase{"LastOfSeveral", {"key", Op::kIn, {"a", "b c"}}},
                      RequirementCase{"InNone", {"key", Op::kIn, {}}},
                      RequirementCase{"NotInNone", {"key", Op::kNotIn, {}}},
                      RequirementCase{"ExistsOne", {"key", Op::kExists, {""}}},
                      RequirementCase{"DoesNotExistOne", {"key", Op::kDoesNotExist, {""}}},
                      RequirementCase{"GtNone", {"key", Op::kGt, {}}},
                      RequirementCase{"LtTwo", {"key", Op::kLt, {"1", "2"}}},
                      RequirementCase{"GtEmpty", {"key", Op::kGt, {""}}},
                      RequirementCase{"GtWord", {"key", Op::kGt, {"many"}}},
                      RequirementCase{"GtNegative", {"key", Op::kGt, {"-5"}}},
                      RequirementCase{"GtPlus", {"key", Op::kGt, {"+5"}}},
                      RequirementCase{"GtBeyondInt64", {"key", Op::kGt, {"9223372036854775808"}}},
                      RequirementCase{"UnknownOperator", {"key", Op::kUnknown, {"a"}}}),
    kCaseName);

TEST(ValidateRequirement, NamesKeyAndValue) {
  const auto status = validate({"gpu", Op::kIn, {"a b"}});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("\"gpu\" In"));
  EXPECT_THAT(status.error().message, HasSubstr("\"a b\" is not a valid label value"));
}

TEST(MatchFields, KnowOnlyTheName) {
  const auto term = [](std::string key, Op op, Values values) {
    return NodeSelectorTerm{{}, {{std::move(key), op, std::move(values)}}};
  };
  EXPECT_TRUE(matches(term("metadata.name", Op::kIn, {"n1"}), {}, "n1"));
  EXPECT_FALSE(matches(term("metadata.name", Op::kIn, {"n2"}), {}, "n1"));
  EXPECT_TRUE(matches(term("metadata.name", Op::kNotIn, {"n2"}), {}, "n1"));
  EXPECT_FALSE(matches(term("metadata.name", Op::kNotIn, {"n1"}), {}, "n1"));
  EXPECT_TRUE(matches(term("spec.unschedulable", Op::kIn, {""}), {}, "n1"));
  EXPECT_FALSE(matches(term("spec.unschedulable", Op::kIn, {"n1"}), {}, "n1"));
  EXPECT_FALSE(matches(term("spec.unschedulable", Op::kNotIn, {""}), {}, "n1"));
}

TEST(MatchFields, AllowOnlyInAndNotInWithOneValue) {
  for (const auto op : {Op::kExists, Op::kDoesNotExist, Op::kGt, Op::kLt, Op::kUnknown}) {
    EXPECT_FALSE(validate_field({"metadata.name", op, {"1"}}));
  }
  for (const auto op : {Op::kIn, Op::kNotIn}) {
    EXPECT_FALSE(validate_field({"metadata.name", op, {}}));
    EXPECT_FALSE(validate_field({"metadata.name", op, {"n1", "n2"}}));
    EXPECT_TRUE(validate_field({"metadata.name", op, {"n1"}}));
  }
  const NodeSelectorTerm invalid{{}, {{"metadata.name", Op::kNotIn, {"n2", "n3"}}}};
  EXPECT_FALSE(matches(invalid, {}, "n1"));
}

TEST(NodeSelectorTerm, WantsAllItsExpressionsAndFields) {
  const NodeSelectorTerm term{{{"a", Op::kExists, {}}, {"b", Op::kExists, {}}},
                              {{"metadata.name", Op::kIn, {"n1"}}}};
  EXPECT_TRUE(matches(term, {{"a", ""}, {"b", ""}}, "n1"));
  EXPECT_FALSE(matches(term, {{"a", ""}}, "n1"));
  EXPECT_FALSE(matches(term, {{"a", ""}, {"b", ""}}, "n2"));
}

TEST(NodeSelectorTerm, MatchesNothingWhenEmpty) {
  EXPECT_FALSE(matches(NodeSelectorTerm{}, {{"gpu", "a100"}}, "n1"));
  EXPECT_FALSE(can_match(NodeSelectorTerm{}));
}

TEST(NodeSelector, WantsAnyOfItsTerms) {
  const NodeSelectorTerm a100{{{"gpu", Op::kIn, {"a100"}}}, {}};
  const NodeSelectorTerm h100{{{"gpu", Op::kIn, {"h100"}}}, {}};
  EXPECT_TRUE(matches(NodeSelector{{h100, a100}}, {{"gpu", "a100"}}, "n1"));
  EXPECT_FALSE(matches(NodeSelector{{h100, a100}}, {{"gpu", "t4"}}, "n1"));
  EXPECT_TRUE(matches(NodeSelector{{{}, a100}}, {{"gpu", "a100"}}, "n1"));
  EXPECT_FALSE(matches(NodeSelector{}, {{"gpu", "a100"}}, "n1"));
}

TEST(NodeSelector, KeepsTheSiblingsOfAnInvalidTerm) {
  const NodeSelectorTerm invalid{{{"gpu", Op::kIn, {"a100"}}, {"mem", Op::kGt, {"1", "2"}}}, {}};
  const NodeSelectorTerm a100{{{"gpu", Op::kIn, {"a100"}}}, {}};
  const Labels labels{{"gpu", "a100"}, {"mem", "5"}};
  EXPECT_FALSE(can_match(invalid));
  EXPECT_FALSE(matches(NodeSelector{{invalid}}, labels, "n1"));
  EXPECT_TRUE(matches(NodeSelector{{invalid, a100}}, labels, "n1"));
}

TEST(PodNodeSelector, WantsEveryPairExactly) {
  const Labels node{{"gpu", "true"}, {"zone", ""}};
  EXPECT_TRUE(matches(Labels{}, node));
  EXPECT_TRUE(matches(Labels{{"gpu", "true"}}, node));
  EXPECT_TRUE(matches(Labels{{"zone", ""}}, node));
  EXPECT_FALSE(matches(Labels{{"gpu", "True"}}, node));
  EXPECT_FALSE(matches(Labels{{"gpu", "true"}, {"model", ""}}, node));
}

TEST(PodNodeSelector, IsNotValidated) {
  const Labels odd{{"no label key!", "no label value!"}};
  EXPECT_TRUE(matches(odd, odd));
}

TEST(PreferredWeight, SumsTheTermsThatMatch) {
  const NodeSelectorTerm gpu{{{"gpu", Op::kExists, {}}}, {}};
  const NodeSelectorTerm zone{{{"zone", Op::kExists, {}}}, {}};
  const NodeSelectorTerm invalid{{{"gpu", Op::kIn, {}}}, {}};
  const std::vector<PreferredSchedulingTerm> preferred{{100, gpu}, {10, gpu}, {1, zone},
                                                       {0, gpu},   {50, {}},  {70, invalid}};
  EXPECT_EQ(preferred_weight(preferred, {{"gpu", ""}}, "n1"), 110);
  EXPECT_EQ(preferred_weight(preferred, {{"gpu", ""}, {"zone", ""}}, "n1"), 111);
  EXPECT_EQ(preferred_weight(preferred, {}, "n1"), 0);
  EXPECT_EQ(preferred_weight({}, {{"gpu", ""}}, "n1"), 0);
}

TEST(PreferredWeight, Saturates) {
  const NodeSelectorTerm any{{}, {{"metadata.name", Op::kIn, {"n1"}}}};
  const std::vector<PreferredSchedulingTerm> preferred{{INT64_MAX, any}, {INT64_MAX, any}};
  EXPECT_EQ(preferred_weight(preferred, {}, "n1"), INT64_MAX);
}

TEST(LabelInteger, ReadsWhatGoReads) {
  const auto read = [](std::string_view text) {
    std::int64_t value = 0;
    return parse_label_integer(text, value) ? std::to_string(value) : "none";
  };
  EXPECT_EQ(read("0"), "0");
  EXPECT_EQ(read("007"), "7");
  EXPECT_EQ(read("+7"), "7");
  EXPECT_EQ(read("-7"), "-7");
  EXPECT_EQ(read("-0"), "0");
  EXPECT_EQ(read("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(read("-9223372036854775808"), "-9223372036854775808");
  for (const auto* text : {"", "+", "-", "+-7", "--7", "7.0", "7Gi", " 7", "7 ", "0x7", "1_000",
                           "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_EQ(read(text), "none") << text;
  }
}

TEST(NodeSelectorOperator, IsReadAsWritten) {
  for (const auto op : {Op::kIn, Op::kNotIn, Op::kExists, Op::kDoesNotExist, Op::kGt, Op::kLt}) {
    EXPECT_EQ(parse_node_selector_operator(to_string(op)), op);
  }
  EXPECT_EQ(to_string(Op::kDoesNotExist), "DoesNotExist");
  for (const auto* text : {"", "in", "Equals", "unknown"}) {
    EXPECT_EQ(parse_node_selector_operator(text), Op::kUnknown);
  }
}

}  // namespace
}  // namespace berth::model
