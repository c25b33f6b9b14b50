#include "berth/model/gpu_policy.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::model {
namespace {

TEST(MatchesPattern, TakesAStarForAnyRun) {
  EXPECT_TRUE(matches_pattern("nvidia.com/gpu", "nvidia.com/gpu"));
  EXPECT_FALSE(matches_pattern("nvidia.com/gpu", "nvidia.com/gpus"));
  EXPECT_FALSE(matches_pattern("nvidia.com/gpu", "nvidia.com/gp"));
  EXPECT_TRUE(matches_pattern("nvidia.com/mig-*", "nvidia.com/mig-1g.5gb"));
  EXPECT_TRUE(matches_pattern("nvidia.com/mig-*", "nvidia.com/mig-"));
  EXPECT_FALSE(matches_pattern("nvidia.com/mig-*", "nvidia.com/mig"));
  EXPECT_TRUE(matches_pattern("*/gpu", "amd.com/gpu"));
  EXPECT_TRUE(matches_pattern("a*b*c", "aXbXbXc"));
  EXPECT_FALSE(matches_pattern("a*b*c", "aXbXbXd"));
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("**", "any"));
  EXPECT_TRUE(matches_pattern("", ""));
  EXPECT_FALSE(matches_pattern("", "a"));
  EXPECT_FALSE(matches_pattern("nvidia.com/*", "nvidia-com/gpu"));
}

TEST(MatchesPattern, DoesNotBlowUpOnManyStars) {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  EXPECT_FALSE(matches_pattern(pattern + "*b", std::string(5'000, 'a')));
}

TEST(GpuPolicy, KnowsNvidiaDevicesByDefault) {
  const GpuPolicy policy;
  EXPECT_TRUE(is_gpu_resource(policy, "nvidia.com/gpu"));
  EXPECT_TRUE(is_gpu_resource(policy, "nvidia.com/mig-3g.20gb"));
  EXPECT_FALSE(is_gpu_resource(policy, "nvidia.com/gpu.shared"));
  EXPECT_FALSE(is_gpu_resource(policy, "cpu"));
}

TEST(GpusOf, SumsEveryGpuResource) {
  const GpuPolicy policy;
  const ResourceList list{{"cpu", Quantity::from_units(64)},
                          {"nvidia.com/gpu", Quantity::from_units(2)},
                          {"nvidia.com/mig-1g.5gb", Quantity::from_units(7)}};
  EXPECT_EQ(gpus_of(policy, list), GpuCount(9));
  EXPECT_EQ(gpus_of(policy, {}), GpuCount(0));
}

TEST(GpusOf, CountsNegativesAsZeroAndSaturates) {
  const GpuPolicy policy;
  EXPECT_EQ(gpus_of(policy, {{"nvidia.com/gpu", Quantity::from_units(-4)},
                             {"nvidia.com/mig-1g.5gb", Quantity::from_units(2)}}),
            GpuCount(2));
  EXPECT_EQ(gpus_of(policy, {{"nvidia.com/gpu", Quantity::from_units(INT64_MAX)},
                             {"nvidia.com/mig-1g.5gb", Quantity::from_units(2)}}),
            GpuCount(INT64_MAX));
}

TEST(LabelRule, HoldsByAnyAlias) {
  const GpuPolicy policy;
  EXPECT_TRUE(label_rule_holds(policy, {{"gpu", "true"}}));
  EXPECT_TRUE(label_rule_holds(policy, {{"nvidia.com/gpu.present", "true"}}));
  EXPECT_FALSE(label_rule_holds(policy, {{"gpu", "false"}}));
  EXPECT_FALSE(label_rule_holds(policy, {}));
}

TEST(LabelRule, MarksEveryNodeWhenEmpty) {
  GpuPolicy policy;
  policy.label_rule.clear();
  EXPECT_TRUE(label_rule_holds(policy, {}));
}

}  // namespace
}  // namespace berth::model
