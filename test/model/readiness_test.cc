#include "berth/model/readiness.h"

#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>

#include "test/model/print.h"

namespace berth::model {

namespace {

using namespace std::chrono_literals;

constexpr Time kNow = Time(std::chrono::hours(500'000));
constexpr Duration kGrace = 10min;

struct NodeFacts {
  bool labelled = false;
  int allocatable = 0;
  int capacity = 0;
  std::string mig_state;
  std::string taint;
  Duration age = 24h;
};

Node node_of(const NodeFacts& facts) {
  Node node;
  node.name = "node-1";
  node.creation_time = kNow - facts.age;
  if (facts.labelled) node.labels.set("gpu", "true");
  if (!facts.mig_state.empty()) node.labels.set("nvidia.com/mig.config.state", facts.mig_state);
  if (!facts.taint.empty()) node.taints.push_back({facts.taint, "", TaintEffect::kNoSchedule});
  node.allocatable.set("nvidia.com/gpu", Quantity::from_units(facts.allocatable));
  node.capacity.set("nvidia.com/gpu", Quantity::from_units(facts.capacity));
  return node;
}

Readiness readiness_of(const Node& node, const ReadinessHistory& history = {},
                       const GpuPolicy& policy = {}) {
  return judge(readiness_inputs(node, history, policy), kNow, kGrace);
}

struct StateCase {
  const char* name;
  NodeFacts facts;
  Readiness want;
};

void PrintTo(const StateCase& test, std::ostream* out) { *out << test.name; }

class ReadinessTable : public ::testing::TestWithParam<StateCase> {};
TEST_P(ReadinessTable, FollowsFromTheNode) {
  EXPECT_EQ(readiness_of(node_of(GetParam().facts)), GetParam().want);
}

constexpr const char* kDeleted = "ToBeDeletedByClusterAutoscaler";

INSTANTIATE_TEST_SUITE_P(
    States, ReadinessTable,
    ::testing::Values(
        StateCase{"LabelAndGpus", {true, 8, 8, "", "", 24h}, Readiness::kReady},
        StateCase{"LabelAndGpusWhileYoung", {true, 8, 8, "", "", 1min}, Readiness::kReady},
        StateCase{"GpusWithoutLabelYoung", {false, 8, 8, "", "", 1min}, Readiness::kLabelPending},
        StateCase{"GpusWithoutLabelOld", {false, 8, 8, "", "", 24h}, Readiness::kUnlabelled},
        StateCase{"LabelWithoutGpusYoung", {true, 0, 0, "", "", 1min}, Readiness::kDevicePending},
        StateCase{"LabelWithoutGpusOld", {true, 0, 0, "", "", 24h}, Readiness::kDeviceLost},
        StateCase{"CapacityOnlyYoung", {false, 0, 8, "", "", 1min}, Readiness::kDevicePending},
        StateCase{"CapacityOnlyOld", {false, 0, 8, "", "", 24h}, Readiness::kDeviceLost},
        StateCase{"MigPending", {true, 8, 8, "pending", "", 24h}, Readiness::kReconfiguring},
        StateCase{"MigRebooting", {true, 8, 8, "rebooting", "", 24h}, Readiness::kReconfiguring},
        StateCase{"MigFailed", {true, 0, 8, "failed", "", 24h}, Readiness::kReconfiguring},
        StateCase{"MigSuccess", {true, 8, 8, "success", "", 24h}, Readiness::kReady},
        StateCase{"MigPendingAlone", {false, 0, 0, "pending", "", 1min}, Readiness::kReconfiguring},
        StateCase{"MigSuccessAlone", {false, 0, 0, "success", "", 24h}, Readiness::kDeviceLost},
        StateCase{"Leaving", {true, 8, 8, "", kDeleted, 24h}, Readiness::kLeaving},
        StateCase{"LeavingWithoutLabel", {false, 8, 8, "", kDeleted, 1min}, Readiness::kLeaving},
        StateCase{"LeavingWithoutGpus", {true, 0, 8, "", kDeleted, 24h}, Readiness::kLeaving},
        StateCase{"ReconfiguringBeforeLeaving",
                  {true, 8, 8, "pending", kDeleted, 24h},
                  Readiness::kReconfiguring},
        StateCase{"NotGpuBeforeLeaving", {false, 0, 0, "", kDeleted, 24h}, Readiness::kNotGpu},
        StateCase{"OtherTaint", {true, 8, 8, "", "dedicated", 24h}, Readiness::kReady},
        StateCase{"NotGpu", {false, 0, 0, "", "", 24h}, Readiness::kNotGpu},
        StateCase{"NotGpuYoung", {false, 0, 0, "", "", 1min}, Readiness::kNotGpu},
        StateCase{"NegativeAllocatable", {true, -1, 8, "", "", 24h}, Readiness::kDeviceLost},
        StateCase{"NegativeOnly", {false, -1, -1, "", "", 24h}, Readiness::kNotGpu}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Readiness, CallsAnEmptyMigStateReconfiguring) {
  Node node = node_of({true, 8, 8, "", "", 24h});
  node.labels.set("nvidia.com/mig.config.state", "");
  EXPECT_EQ(readiness_of(node), Readiness::kReconfiguring);
}

TEST(Readiness, LetsAnEmptyLabelRuleSayNothing) {
  GpuPolicy policy;
  policy.label_rule.clear();
  EXPECT_EQ(readiness_of(node_of({false, 8, 8, "", "", 1min}), {}, policy), Readiness::kReady);
  EXPECT_EQ(readiness_of(node_of({false, 0, 0, "", "", 1min}), {}, policy), Readiness::kNotGpu);
}

TEST(Readiness, EndsGraceExactlyWhenItHasPassed) {
  EXPECT_EQ(readiness_of(node_of({false, 8, 8, "", "", kGrace - 1ns})), Readiness::kLabelPending);
  EXPECT_EQ(readiness_of(node_of({false, 8, 8, "", "", kGrace})), Readiness::kUnlabelled);
  EXPECT_EQ(readiness_of(node_of({true, 0, 8, "", "", kGrace - 1ns})), Readiness::kDevicePending);
  EXPECT_EQ(readiness_of(node_of({true, 0, 8, "", "", kGrace})), Readiness::kDeviceLost);
}

TEST(Readiness, TakesACreationInTheFutureForNow) {
  const Node node = node_of({false, 8, 8, "", "", -48h});
  EXPECT_EQ(readiness_of(node), Readiness::kLabelPending);
  const auto inputs = readiness_inputs(node, {}, {});
  EXPECT_EQ(judge(inputs, kNow, Duration::zero()), Readiness::kUnlabelled);
  EXPECT_EQ(judge(inputs, Time::min(), kGrace), Readiness::kLabelPending);
}

TEST(Readiness, TakesAMissingCreationForLongAgo) {
  Node node = node_of({false, 8, 8, "", "", 0s});
  node.creation_time.reset();
  EXPECT_EQ(readiness_of(node), Readiness::kUnlabelled);
  const auto inputs = readiness_inputs(node, {}, {});
  EXPECT_EQ(judge(inputs, kNow, Duration::max()), Readiness::kUnlabelled);
}

TEST(Readiness, StartsGraceAtTheLatestOfItsCauses) {
  const Node old = node_of({false, 8, 8, "", "", 24h});
  const auto start = [&](std::optional<Time> vanished, std::optional<Time> appeared) {
    return readiness_inputs(old, {vanished, appeared}, {}).grace_start;
  };
  EXPECT_TRUE(start({}, {}) == kNow - 24h);
  EXPECT_TRUE(start(kNow - 5min, {}) == kNow - 5min);
  EXPECT_TRUE(start({}, kNow - 5min) == kNow - 5min);
  EXPECT_TRUE(start(kNow - 5min, kNow - 3min) == kNow - 3min);
  EXPECT_TRUE(start(kNow - 48h, kNow - 48h) == kNow - 24h);
  EXPECT_EQ(readiness_of(old, {kNow - 5min, {}}), Readiness::kLabelPending);
  EXPECT_EQ(readiness_of(old, {kNow - kGrace, {}}), Readiness::kUnlabelled);
}

TEST(Observe, LearnsNothingFromANodeItNeverSaw) {
  EXPECT_EQ(observe({}, nullptr, node_of({false, 8, 8, "", "", 24h}), {}, kNow),
            ReadinessHistory());
}

TEST(Observe, NotesWhenTheLabelVanishes) {
  const Node with = node_of({true, 8, 8, "", "", 24h});
  const Node without = node_of({false, 8, 8, "", "", 24h});
  const ReadinessHistory vanished{kNow, {}};
  EXPECT_EQ(observe({}, &with, without, {}, kNow), vanished);
  EXPECT_EQ(observe({}, &without, with, {}, kNow), ReadinessHistory());
  EXPECT_EQ(observe({}, &with, with, {}, kNow), ReadinessHistory());
  EXPECT_EQ(observe(vanished, &without, without, {}, kNow + 1min), vanished);
  EXPECT_EQ(observe(vanished, &with, without, {}, kNow + 1h), (ReadinessHistory{kNow + 1h, {}}));
}

TEST(Observe, SeesNoVanishingWhileAnAliasHolds) {
  Node both = node_of({true, 8, 8, "", "", 24h});
  both.labels.set("nvidia.com/gpu.present", "true");
  const Node one = node_of({true, 8, 8, "", "", 24h});
  EXPECT_EQ(observe({}, &both, one, {}, kNow), ReadinessHistory());
}

TEST(Observe, NotesWhenGpusAppear) {
  const Node with = node_of({false, 8, 8, "", "", 24h});
  const Node without = node_of({false, 0, 8, "", "", 24h});
  const Node fewer = node_of({false, 4, 8, "", "", 24h});
  const ReadinessHistory appeared{{}, kNow};
  EXPECT_EQ(observe({}, &without, with, {}, kNow), appeared);
  EXPECT_EQ(observe({}, &with, without, {}, kNow), ReadinessHistory());
  EXPECT_EQ(observe({}, &fewer, with, {}, kNow), ReadinessHistory());
  EXPECT_EQ(observe(appeared, &with, with, {}, kNow + 1min), appeared);
}

// A node that joined long ago without GPUs: the label may come some minutes after the devices.
TEST(Readiness, CountsGpusOfDra) {
  const DeviceOffers counted = {{"nvidia.com/gpu", 2, false}};
  const DeviceOffers uncounted = {{"nvidia.com/gpu", 0, true}};
  const DeviceOffers other = {{"example.com/fpga", 2, false}};
  const Node bare = node_of({false, 0, 0, "", "", 24h});
  for (const auto& offers : {counted, uncounted}) {
    EXPECT_TRUE(has_gpus(bare, offers, {}));
    const auto inputs = readiness_inputs(bare, {}, {}, offers);
    EXPECT_TRUE(inputs.gpus_allocatable);
    EXPECT_TRUE(inputs.gpu_sign);
  }
  EXPECT_FALSE(has_gpus(bare, other, {}));
  EXPECT_FALSE(readiness_inputs(bare, {}, {}, other).gpu_sign);
  EXPECT_TRUE(has_gpus(node_of({false, 8, 8, "", "", 24h}), {}, {}));
}

TEST(Observe, SeesNoAppearingWhereDraHasGpusAllAlong) {
  const Node without = node_of({false, 0, 0, "", "", 24h});
  const Node with = node_of({false, 8, 8, "", "", 24h});
  EXPECT_EQ(observe({}, &without, with, {}, kNow, {{"nvidia.com/gpu", 2, false}}),
            ReadinessHistory());
}

TEST(Observe, GivesGraceToOldNodesWhoseGpusJustAppeared) {
  const Node without = node_of({false, 0, 0, "", "", 24h});
  const Node with = node_of({false, 8, 8, "", "", 24h});
  EXPECT_EQ(readiness_of(with), Readiness::kUnlabelled);
  const auto history = observe({}, &without, with, {}, kNow);
  EXPECT_EQ(readiness_of(with, history), Readiness::kLabelPending);
}

TEST(MarksLeaving, KnowsTheTaintsOfAutoscalers) {
  for (const auto* key :
       {"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler",
        "karpenter.sh/disrupted", "karpenter.sh/disruption", "karpenter.sh/candidate"}) {
    EXPECT_TRUE(marks_leaving({key, "", TaintEffect::kNoSchedule})) << key;
    EXPECT_TRUE(marks_leaving({key, "1786925486", TaintEffect::kPreferNoSchedule})) << key;
  }
  EXPECT_TRUE(marks_leaving({"karpenter.sh/disruption", "disrupting", TaintEffect::kNoSchedule}));
  for (const auto* key : {"", "karpenter.sh/unregistered", "node.kubernetes.io/unschedulable",
                          "tobedeletedbyclusterautoscaler"}) {
    EXPECT_FALSE(marks_leaving({key, "", TaintEffect::kNoSchedule})) << key;
  }
}

TEST(Readiness, HasAWordForEveryState) {
  std::set<std::string_view> words;
  for (const auto readiness : kAllReadiness) words.insert(to_string(readiness));
  EXPECT_EQ(words,
            (std::set<std::string_view>{"ready", "label-pending", "unlabelled", "device-pending",
                                        "device-lost", "reconfiguring", "leaving", "not-gpu"}));
}

}  // namespace
}  // namespace berth::model
