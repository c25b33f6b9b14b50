// Pods on nodes whose GPUs come from DRA.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "berth/cluster/state.h"
#include "berth/placement/filter.h"
#include "berth/placement/score.h"
#include "test/support/builders.h"

namespace berth::placement {
namespace {

using std::chrono::minutes;
using test_support::claim;
using test_support::device_class;
using test_support::kNoon;
using test_support::node;
using test_support::pod;
using test_support::slice;

/// d1 and d2 have two devices each and the GPU label, p1 two GPUs of a plugin, c1 none; all have
/// eight cores.
class DevicesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"d1", "d2"}) {
      state_.upsert_node(node(name).cpu("8").memory("32Gi").label("gpu", "true"), kNoon);
      state_.upsert_resource_slice(slice(name, 2));
    }
    state_.upsert_node(node("p1").cpu("8").memory("32Gi").label("gpu", "true").gpus(2), kNoon);
    state_.upsert_node(node("c1").cpu("8").memory("32Gi"), kNoon);
    state_.upsert_device_class(device_class("gpu", "nvidia.com/gpu"));
  }

  std::string verdict(const model::Pod& incoming, std::string_view name) {
    const auto compiled = compile(incoming, policy_, state_.snapshot(kNoon));
    const auto verdicts = filter(compiled, kNoon);
    const Row row = *compiled.snapshot->topology().find(name);
    if (verdicts.passes(row)) return "passes";
    const Refusal refusal = verdicts.refusal(row, compiled);
    return std::string(refusal.reason) + (refusal.resolvable ? " | now" : " | ever");
  }
  float score_on(const model::Pod& incoming, std::string_view name) {
    const auto compiled = compile(incoming, policy_, state_.snapshot(kNoon));
    const auto scores =
        score(compiled, filter(compiled, kNoon), policy_, *make_strategy(policy_), kNoon);
    return scores[compiled.snapshot->topology().find(name)->index];
  }

  Policy policy_;
  cluster::ClusterState state_{model::GpuPolicy()};
};

TEST_F(DevicesTest, AreNeverRefusedForLackOfGpus) {
  const model::Pod one = pod("p").gpus(1);
  EXPECT_EQ(verdict(one, "d1"), "passes");
  EXPECT_EQ(verdict(one, "p1"), "passes");
  EXPECT_EQ(verdict(one, "c1"), "Insufficient nvidia.com/gpu | ever");
  EXPECT_EQ(verdict(pod("p").gpus(3), "d1"), "passes") << "kube-scheduler has judged it";
  EXPECT_EQ(verdict(pod("p").gpus(3), "p1"), "Insufficient nvidia.com/gpu | ever");
  state_.upsert_resource_claim(claim("c", "d1", {"gpu-0", "gpu-1"}));
  EXPECT_EQ(verdict(one, "d1"), "passes");
}

TEST_F(DevicesTest, AreRefusedForLackOfAnythingElse) {
  EXPECT_EQ(verdict(pod("p").gpus(1).cpu("9"), "d1"), "Insufficient cpu | ever");
  state_.upsert_pod(pod("busy").on("d1").cpu("7").gpus(1));
  EXPECT_EQ(verdict(pod("p").gpus(1).cpu("2"), "d1"), "Insufficient cpu | now")
      << "no lack of GPUs makes it unresolvable";
  EXPECT_EQ(verdict(pod("p").gpus(1).requests("nvidia.com/mig-1g.5gb", "1"), "d1"),
            "Insufficient nvidia.com/mig-1g.5gb | ever");
}

TEST_F(DevicesTest, DoNotSpareTheGpuLabelInHardMode) {
  policy_.affinity_mode = AffinityMode::kHard;
  state_.upsert_node(node("old").created(kNoon - minutes(11)), kNoon);
  state_.upsert_resource_slice(slice("old", 1));
  state_.upsert_node(node("new").created(kNoon - minutes(1)), kNoon);
  state_.upsert_resource_slice(slice("new", 1));
  EXPECT_EQ(verdict(pod("p").gpus(1), "d1"), "passes");
  EXPECT_EQ(verdict(pod("p").gpus(1), "old"), "node(s) didn't match the GPU label rule | ever");
  EXPECT_EQ(verdict(pod("p").gpus(1), "new"), "node(s) GPU label pending | ever");
}

TEST_F(DevicesTest, OfNoNodePassEveryNodeButNotItsLabelRule) {
  state_.upsert_resource_slice(slice("fabric", 4).on(""));
  EXPECT_EQ(verdict(pod("p").gpus(1), "c1"), "passes");
  EXPECT_EQ(verdict(pod("p").gpus(3), "p1"), "Insufficient nvidia.com/gpu | ever");
  EXPECT_GT(score_on(pod("p").gpus(1), "d1"), score_on(pod("p").gpus(1), "c1"))
      << "nodes with GPUs of their own come first";
  policy_.affinity_mode = AffinityMode::kHard;
  EXPECT_EQ(verdict(pod("p").gpus(1), "c1"), "node(s) didn't match the GPU label rule | ever");
}

TEST_F(DevicesTest, ArePackedAndSpreadLikeAnyGpus) {
  state_.upsert_resource_claim(claim("c", "d2", {"gpu-0"}));
  const model::Pod one = pod("p").gpus(1);
  EXPECT_GT(score_on(one, "d2"), score_on(one, "d1"));
  EXPECT_EQ(score_on(one, "d1"), score_on(one, "p1")) << "two GPUs are two GPUs";
  policy_.strategy = StrategyName::kSpread;
  EXPECT_LT(score_on(one, "d2"), score_on(one, "d1"));
}

TEST_F(DevicesTest, MakeTheirNodeAGpuNodeThatOtherPodsAvoid) {
  const model::Pod other = pod("web").cpu("1");
  EXPECT_GT(score_on(other, "c1"), score_on(other, "d1"));
  EXPECT_EQ(score_on(other, "d1"), score_on(other, "p1"));
}

}  // namespace
}  // namespace berth::placement
