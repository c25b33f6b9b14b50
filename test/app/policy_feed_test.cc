#include "berth/app/policy_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/app/cluster_feed.h"

namespace berth::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string text(std::string_view body) {
  return "apiVersion: berth/v1alpha1\nkind: BerthConfiguration\n" + std::string(body);
}

class PolicyFeedTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string exposed() { return metrics_.expose({}); }

  telemetry::Log log_{{telemetry::LogFormat::kText, telemetry::LogLevel::kWarn,
                       [this](std::string_view line) { lines_.emplace_back(line); }}};
  std::vector<std::string> lines_;
  telemetry::Metrics metrics_{"v"};
  FixedClock clock_{Time{}};
  Published<cluster::Snapshot> snapshots_;
  ClusterFeed cluster_{model::GpuPolicy{}, snapshots_, clock_, metrics_, log_};
  Published<placement::Policy> policies_{std::make_shared<const placement::Policy>()};
  PolicyFeed feed_{
      "f.yaml",  Configuration{},
      policies_, [this](const model::GpuPolicy& policy) { cluster_.set_gpu_policy(policy); },
      metrics_,  log_};
};

TEST_F(PolicyFeedTest, PublishesANewPolicy) {
  feed_.reload(text("policy: {affinity: {mode: hard}}\n"));
  EXPECT_EQ(policies_.read()->affinity_mode, placement::AffinityMode::kHard);
  EXPECT_THAT(exposed(), HasSubstr("berth_config_reloads_total{result=\"success\"} 1\n"));
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(PolicyFeedTest, RefusesABrokenFileAndKeepsTheOldPolicy) {
  feed_.reload(text("policy: {strategy: spread}\n"));
  const auto before = policies_.read();
  feed_.reload(text("policy: {stratgey: pack}\n"));
  feed_.reload(Error{ErrorCode::kNotFound, "cannot read f.yaml: gone"});
  EXPECT_EQ(policies_.read(), before);
  EXPECT_THAT(exposed(), HasSubstr("berth_config_reloads_total{result=\"failure\"} 2\n"));
  EXPECT_THAT(lines_, ElementsAre(AllOf(HasSubstr("level=error"), HasSubstr("the old one stays"),
                                        HasSubstr("f.yaml:3:10")),
                                  HasSubstr("cannot read f.yaml: gone")));
}

TEST_F(PolicyFeedTest, GivesTheClusterItsNewGpuPolicy) {
  ASSERT_TRUE(cluster_.load(R"({"kind":"Node","metadata":{"name":"n","uid":"u"},)"
                            R"("status":{"allocatable":{"amd.com/gpu":"2"}}})"));
  EXPECT_TRUE(snapshots_.read()->topology().gpus_allocatable().empty());
  feed_.reload(text("policy: {gpu: {resources: [amd.com/gpu]}}\n"));
  EXPECT_FALSE(snapshots_.read()->topology().gpus_allocatable().empty());
}

TEST_F(PolicyFeedTest, LeavesTheClusterAloneWhenOnlyTheScoreChanges) {
  ASSERT_TRUE(cluster_.load(R"({"kind":"Node","metadata":{"name":"n","uid":"u"}})"));
  const auto before = snapshots_.read();
  feed_.reload(text("policy: {answer: decisive}\n"));
  EXPECT_EQ(policies_.read()->answer, placement::AnswerForm::kDecisive);
  EXPECT_EQ(snapshots_.read(), before);
}

TEST_F(PolicyFeedTest, SaysWhatNeedsARestart) {
  feed_.reload(text("listen: 127.0.0.1:1\nlimits: {depth: 20}\n"));
  EXPECT_THAT(lines_, ElementsAre(AllOf(HasSubstr("needs a restart"), HasSubstr("key=listen")),
                                  AllOf(HasSubstr("needs a restart"), HasSubstr("key=limits"))));
}

}  // namespace
}  // namespace berth::app
