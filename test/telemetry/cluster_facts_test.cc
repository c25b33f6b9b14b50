#include "berth/telemetry/cluster_facts.h"

#include <gtest/gtest.h>

#include "berth/cluster/state.h"

namespace berth::telemetry {
namespace {

using model::Readiness;

constexpr Time kNow{std::chrono::hours(24 * 365 * 50)};

model::Node gpu_node(const char* name, bool labelled, Time created) {
  model::Node node;
  node.name = name;
  node.uid = name;
  node.creation_time = created;
  if (labelled) node.labels.set("gpu", "true");
  node.allocatable.set("nvidia.com/gpu", model::Quantity::from_units(8));
  node.capacity = node.allocatable;
  return node;
}

std::size_t count(const ClusterFacts& facts, Readiness readiness) {
  return facts.nodes_by_readiness[static_cast<std::size_t>(readiness)];
}

TEST(ClusterFacts, OfNoSnapshotAreNone) {
  const ClusterFacts facts = describe(nullptr, kNow);
  EXPECT_FALSE(facts.has_snapshot);
  EXPECT_EQ(facts.nodes, 0U);
}

TEST(ClusterFacts, JudgeReadinessAtTheTimeAskedFor) {
  cluster::ClusterState state{model::GpuPolicy{}};
  state.upsert_node(gpu_node("ready", true, kNow), kNow);
  state.upsert_node(gpu_node("fresh", false, kNow), kNow);
  model::Node cpu;
  cpu.name = "cpu";
  cpu.uid = "cpu";
  state.upsert_node(cpu, kNow);
  const auto snapshot = state.snapshot(kNow);

  const ClusterFacts at_first = describe(snapshot.get(), kNow + std::chrono::seconds(30));
  EXPECT_TRUE(at_first.has_snapshot);
  EXPECT_EQ(at_first.nodes, 3U);
  EXPECT_EQ(at_first.age, std::chrono::seconds(30));
  EXPECT_EQ(count(at_first, Readiness::kReady), 1U);
  EXPECT_EQ(count(at_first, Readiness::kLabelPending), 1U);
  EXPECT_EQ(count(at_first, Readiness::kNotGpu), 1U);

  const ClusterFacts later = describe(snapshot.get(), kNow + std::chrono::minutes(11));
  EXPECT_EQ(count(later, Readiness::kLabelPending), 0U);
  EXPECT_EQ(count(later, Readiness::kUnlabelled), 1U);
}

TEST(ClusterFacts, AreNeverFromTheFuture) {
  cluster::ClusterState state{model::GpuPolicy{}};
  const auto snapshot = state.snapshot(kNow);
  EXPECT_EQ(describe(snapshot.get(), kNow - std::chrono::hours(1)).age, Duration::zero());
}

}  // namespace
}  // namespace berth::telemetry
