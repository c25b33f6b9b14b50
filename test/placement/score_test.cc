#include "berth/placement/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "berth/cluster/state.h"
#include "test/support/builders.h"

namespace berth::placement {
namespace {

using model::NodeSelectorOperator;
using test_support::kNoon;
using test_support::node;
using test_support::NodeBuilder;
using test_support::pod;
using test_support::term;
using ::testing::ElementsAre;

std::map<std::string, float> scores_of(const std::vector<model::Node>& nodes,
                                       const std::vector<model::Pod>& bound,
                                       const model::Pod& incoming, const Policy& policy) {
  cluster::ClusterState state(policy.gpu);
  state.replace(nodes, bound, kNoon);
  const auto compiled = compile(incoming, policy, state.snapshot(kNoon));
  const auto strategy = make_strategy(policy);
  const auto scores = score(compiled, filter(compiled, kNoon), policy, *strategy, kNoon);
  EXPECT_EQ(scores.size(), compiled.snapshot->topology().padded_rows());
  std::map<std::string, float> by_name;
  for (const auto& each : nodes) {
    by_name[each.name] = scores[compiled.snapshot->topology().find(each.name)->index];
  }
  return by_name;
}

/// Names, best first.
std::vector<std::string> ranking(const std::map<std::string, float>& scores) {
  std::vector<std::string> names;
  for (const auto& [name, score] : scores) names.push_back(name);
  std::stable_sort(names.begin(), names.end(),
                   [&](const auto& a, const auto& b) { return scores.at(a) > scores.at(b); });
  return names;
}

NodeBuilder gpu_node(std::string_view name) { return node(name).gpus(8).cpu("64").memory("512Gi"); }
NodeBuilder leaving(NodeBuilder builder) {
  return builder.taint("DeletionCandidateOfClusterAutoscaler", "1",
                       model::TaintEffect::kPreferNoSchedule);
}

std::vector<model::Node> one_of_each_tier() {
  return {leaving(gpu_node("leaving").label("gpu", "true")), gpu_node("unlabelled"),
          gpu_node("pending").created(kNoon), gpu_node("ready").label("gpu", "true")};
}

// Whatever the weights, and although the lower tiers have everything else in their favour.
TEST(Score, TiersOfAGpuPodOutweighEverythingElse) {
  for (const float affinity : {0.0F, 1.0F, 1000.0F}) {
    for (const float packing : {0.0F, 1.0F, 1000.0F}) {
      Policy policy;
      policy.weights.affinity = affinity;
      policy.weights.packing = packing;
      auto nodes = one_of_each_tier();
      for (std::size_t i = 0; i + 1 < nodes.size(); ++i) nodes[i].labels.set("wish", "yes");
      const std::vector<model::Pod> bound = {pod("a").on("leaving").gpus(7).cpu("60"),
                                             pod("b").on("unlabelled").gpus(6),
                                             pod("c").on("pending").gpus(5)};
      const auto incoming =
          pod("p").gpus(1).prefer(100, term("wish", NodeSelectorOperator::kExists));
      EXPECT_THAT(ranking(scores_of(nodes, bound, incoming, policy)),
                  ElementsAre("ready", "pending", "unlabelled", "leaving"))
          << affinity << ' ' << packing;
    }
  }
}

TEST(Score, OtherPodsPreferNodesWithoutGpus) {
  const std::vector<model::Node> nodes = {
      leaving(node("leaving").cpu("64").memory("512Gi")), gpu_node("gpus"),
      node("label-only").cpu("64").memory("512Gi").label("gpu", "true"),
      node("plain").cpu("64").memory("512Gi")};
  const auto scores =
      scores_of(nodes, {pod("a").on("gpus").cpu("60")}, pod("p").cpu("1").memory("1Gi"), {});
  EXPECT_THAT(ranking(scores), ElementsAre("plain", "gpus", "label-only", "leaving"));
}

TEST(Score, RefusedRowsHaveNone) {
  const auto scores = scores_of({gpu_node("a"), node("b").cpu("64")}, {}, pod("p").gpus(1), {});
  EXPECT_EQ(scores.at("b"), kRefusedScore);
  EXPECT_GE(scores.at("a"), 0.0F);
}

TEST(Score, PackPrefersTheFullestNode) {
  const std::vector<model::Node> nodes = {gpu_node("empty"), gpu_node("half"), gpu_node("most")};
  const std::vector<model::Pod> bound = {pod("a").on("half").gpus(4), pod("b").on("most").gpus(6)};
  EXPECT_THAT(ranking(scores_of(nodes, bound, pod("p").gpus(2), {})),
              ElementsAre("most", "half", "empty"));
}

TEST(Score, PackPrefersTheSmallestSufficientNode) {
  const std::vector<model::Node> nodes = {gpu_node("eight"), gpu_node("four").gpus(4),
                                          gpu_node("one").gpus(1)};
  EXPECT_THAT(ranking(scores_of(nodes, {}, pod("p").gpus(2), {})),
              ElementsAre("four", "eight", "one"));
}

TEST(Score, SpreadPrefersTheEmptiestNode) {
  Policy policy;
  policy.strategy = StrategyName::kSpread;
  const std::vector<model::Node> nodes = {gpu_node("empty"), gpu_node("half"), gpu_node("most")};
  const std::vector<model::Pod> bound = {pod("a").on("half").gpus(4), pod("b").on("most").gpus(6)};
  EXPECT_THAT(ranking(scores_of(nodes, bound, pod("p").gpus(2), policy)),
              ElementsAre("empty", "half", "most"));
}

TEST(Score, PackIsTheWeightedMeanAfterPlacing) {
  // GPU (2 + 2) / 8, cpu (8 + 8) / 64, memory (128 + 128) / 512, weights 5, 1, 1.
  const auto scores = scores_of({gpu_node("a").label("gpu", "true")},
                                {pod("b").on("a").gpus(2).cpu("8").memory("128Gi")},
                                pod("p").gpus(2).cpu("8").memory("128Gi"), {});
  EXPECT_FLOAT_EQ(scores.at("a"), 3 * kTierDistance + (5 * 0.5F + 0.25F + 0.5F) / 7);
}

TEST(Score, LeavesOutWhatTheNodeDoesNotHave) {
  const auto scores = scores_of({node("a").gpus(8).cpu("64").label("gpu", "true"), node("b")}, {},
                                pod("p").gpus(4).cpu("16"), {});
  EXPECT_FLOAT_EQ(scores.at("a"), 3 * kTierDistance + (5 * 0.5F + 0.25F) / 6);
  const auto bare = scores_of({node("a"), node("b").cpu("1").memory("1Gi")}, {}, pod("p"), {});
  EXPECT_EQ(bare.at("a"), 2 * kTierDistance);
}

TEST(Score, ClampsOverCommittedResources) {
  const auto scores = scores_of({gpu_node("a").label("gpu", "true")},
                                {pod("b").on("a").cpu("640").memory("1Ti")}, pod("p").gpus(8), {});
  EXPECT_FLOAT_EQ(scores.at("a"), 3 * kTierDistance + 1);
}

TEST(Score, WeighsWhatThePolicySays) {
  Policy policy;
  policy.weights.gpu = 0;
  policy.weights.memory = 0;
  const std::vector<model::Node> nodes = {gpu_node("gpus-used"), gpu_node("cpu-used")};
  const std::vector<model::Pod> bound = {pod("a").on("gpus-used").gpus(7),
                                         pod("b").on("cpu-used").cpu("8")};
  EXPECT_THAT(ranking(scores_of(nodes, bound, pod("p").gpus(1), policy)),
              ElementsAre("cpu-used", "gpus-used"));
}

TEST(Score, AffinityIsTheShareOfTheLargestSumOnAnyPassingNode) {
  Policy policy;
  policy.weights.packing = 0;
  const std::vector<model::Node> nodes = {
      gpu_node("both").label("x", "1").label("y", "1"), gpu_node("x").label("x", "1"),
      gpu_node("none"),
      // Would have the largest sum, but does not pass.
      gpu_node("refused").cordoned().label("x", "1").label("y", "1").label("z", "1")};
  const auto incoming = pod("p")
                            .gpus(1)
                            .prefer(30, term("x", NodeSelectorOperator::kExists))
                            .prefer(70, term("y", NodeSelectorOperator::kExists))
                            .prefer(100, term("z", NodeSelectorOperator::kExists))
                            .prefer(0, term("x", NodeSelectorOperator::kDoesNotExist));
  const auto scores = scores_of(nodes, {}, incoming, policy);
  EXPECT_FLOAT_EQ(scores.at("both"), kTierDistance + 1.0F);
  EXPECT_FLOAT_EQ(scores.at("x"), kTierDistance + 0.3F);
  EXPECT_FLOAT_EQ(scores.at("none"), kTierDistance);
}

TEST(Score, SharesTheRangeBetweenAffinityAndPackingByWeight) {
  Policy policy;
  policy.weights.affinity = 3;
  policy.weights.packing = 1;
  const std::vector<model::Node> nodes = {gpu_node("wished").label("x", "1"), gpu_node("full")};
  const std::vector<model::Pod> bound = {pod("a").on("full").gpus(7).cpu("64").memory("512Gi")};
  const auto scores = scores_of(
      nodes, bound, pod("p").gpus(1).prefer(1, term("x", NodeSelectorOperator::kExists)), policy);
  EXPECT_FLOAT_EQ(scores.at("full"), kTierDistance + 0.25F);
  EXPECT_FLOAT_EQ(scores.at("wished"), kTierDistance + 0.75F + 0.25F * (5 * 0.125F / 7));
}

// A pod without preferences must not lose packing to the weight of what it does not have.
TEST(Score, TellsCloseNodesApartWhateverTheAffinityWeight) {
  Policy policy;
  policy.weights.affinity = 1000;
  policy.weights.packing = 0.001F;
  const std::vector<model::Node> nodes = {gpu_node("a"), gpu_node("b")};
  const auto scores = scores_of(nodes, {pod("x").on("b").cpu("100m")}, pod("p").gpus(1), policy);
  EXPECT_GT(scores.at("b"), scores.at("a"));
}

TEST(BehindTest, IsBelowEveryScoreAndKeepsTheOrder) {
  const float best = behind(3 * kTierDistance + 1);
  EXPECT_LT(best, 0.0F);
  EXPECT_LT(behind(0.0F), best);
  EXPECT_LT(kRefusedScore, behind(0.0F));
  EXPECT_LT(behind(1.0F), behind(1.0001F));
  EXPECT_EQ(behind(kRefusedScore), kRefusedScore);
}

}  // namespace
}  // namespace berth::placement
