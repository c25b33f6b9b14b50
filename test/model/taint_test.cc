#include "berth/model/taint.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace berth::model {
namespace {

using Op = TolerationOperator;
using Effect = TaintEffect;

struct TolerationCase {
  const char* name;
  Toleration toleration;
  bool want;  // does it cover dedicated=ml:NoSchedule
};

void PrintTo(const TolerationCase& test, std::ostream* out) { *out << test.name; }

class TolerationTable : public ::testing::TestWithParam<TolerationCase> {};

TEST_P(TolerationTable, CoversTheTaintIfAllHold) {
  const Taint taint{"dedicated", "ml", Effect::kNoSchedule};
  EXPECT_EQ(tolerates(GetParam().toleration, taint), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Tolerations, TolerationTable,
    ::testing::Values(
        TolerationCase{"Equal", {"dedicated", Op::kEqual, "ml", "NoSchedule"}, true},
        TolerationCase{"EqualOtherValue", {"dedicated", Op::kEqual, "web", "NoSchedule"}, false},
        TolerationCase{"EqualOtherKey", {"other", Op::kEqual, "ml", "NoSchedule"}, false},
        TolerationCase{"EqualAnyKey", {"", Op::kEqual, "ml", ""}, true},
        TolerationCase{"EqualAnyKeyOtherValue", {"", Op::kEqual, "", ""}, false},
        TolerationCase{"AnyEffect", {"dedicated", Op::kEqual, "ml", ""}, true},
        TolerationCase{"OtherEffect", {"dedicated", Op::kEqual, "ml", "NoExecute"}, false},
        TolerationCase{"UnknownEffect", {"dedicated", Op::kEqual, "ml", "Never"}, false},
        TolerationCase{"Exists", {"dedicated", Op::kExists, "", ""}, true},
        TolerationCase{"ExistsIgnoresValue", {"dedicated", Op::kExists, "web", ""}, true},
        TolerationCase{"ExistsOtherKey", {"other", Op::kExists, "", ""}, false},
        TolerationCase{"ExistsAnyKey", {"", Op::kExists, "", ""}, true},
        TolerationCase{"ExistsOtherEffect", {"", Op::kExists, "", "NoExecute"}, false},
        TolerationCase{"UnknownOperator", {"dedicated", Op::kUnknown, "ml", ""}, false}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Tolerates, NeverTakesTwoUnknownEffectsForTheSame) {
  EXPECT_FALSE(tolerates({"k", Op::kExists, "", "Never"}, {"k", "", Effect::kUnknown}));
}

TEST(TolerationOperator, IsEqualWhenLeftOut) {
  EXPECT_EQ(parse_toleration_operator(""), Op::kEqual);
  EXPECT_EQ(parse_toleration_operator("Equal"), Op::kEqual);
  EXPECT_EQ(parse_toleration_operator("Exists"), Op::kExists);
  for (const auto* text : {"Lt", "Gt", "equal", "In"}) {
    EXPECT_EQ(parse_toleration_operator(text), Op::kUnknown);
  }
}

TEST(TaintEffect, IsReadAsWritten) {
  EXPECT_EQ(parse_taint_effect("NoSchedule"), Effect::kNoSchedule);
  EXPECT_EQ(parse_taint_effect("PreferNoSchedule"), Effect::kPreferNoSchedule);
  EXPECT_EQ(parse_taint_effect("NoExecute"), Effect::kNoExecute);
  EXPECT_EQ(parse_taint_effect("noschedule"), Effect::kUnknown);
  EXPECT_EQ(parse_taint_effect(""), Effect::kUnknown);
}

TEST(FirstUntolerated, IsTheFirstInListOrder) {
  const std::vector<Taint> taints{{"a", "", Effect::kNoSchedule},
                                  {"b", "", Effect::kNoExecute},
                                  {"c", "", Effect::kNoSchedule}};
  const std::vector<Toleration> tolerates_a{{"a", Op::kExists, "", ""}};
  EXPECT_EQ(first_untolerated(taints, {}), &taints[0]);
  EXPECT_EQ(first_untolerated(taints, tolerates_a), &taints[1]);
  const std::vector<Toleration> tolerates_each{
      {"c", Op::kExists, "", ""}, {"a", Op::kExists, "", ""}, {"b", Op::kExists, "", ""}};
  EXPECT_EQ(first_untolerated(taints, tolerates_each), nullptr);
}

TEST(FirstUntolerated, LeavesPreferNoScheduleToScoring) {
  const std::vector<Taint> taints{{"a", "", Effect::kPreferNoSchedule},
                                  {"b", "", Effect::kUnknown}};
  EXPECT_EQ(first_untolerated(taints, {}), nullptr);
  EXPECT_EQ(first_untolerated({}, {}), nullptr);
}

constexpr const char* kKey = "node.kubernetes.io/unschedulable";

TEST(ToleratesCordon, WantsTheUnschedulableTaintTolerated) {
  const auto allowed = [](Toleration toleration) {
    return tolerates_cordon(std::vector<Toleration>{std::move(toleration)});
  };
  EXPECT_FALSE(tolerates_cordon({}));
  EXPECT_TRUE(allowed({kKey, Op::kExists, "", "NoSchedule"}));
  EXPECT_TRUE(allowed({kKey, Op::kEqual, "", ""}));
  EXPECT_TRUE(allowed({"", Op::kExists, "", ""}));
  EXPECT_FALSE(allowed({kKey, Op::kEqual, "true", ""}));
  EXPECT_FALSE(allowed({kKey, Op::kExists, "", "NoExecute"}));
  EXPECT_FALSE(allowed({"other", Op::kExists, "", ""}));
}

}  // namespace
}  // namespace berth::model
