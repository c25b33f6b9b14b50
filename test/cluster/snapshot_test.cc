#include "berth/cluster/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "berth/cluster/state.h"
#include "test/support/builders.h"

namespace berth::cluster {
namespace {

using test_support::kNoon;
using test_support::node;
using test_support::pod;

std::int64_t free_units(const Snapshot& snapshot, std::string_view name,
                        std::string_view resource) {
  return snapshot.free(
      *snapshot.topology().column(resource))[snapshot.topology().find(name)->index];
}

float held_fraction(const Snapshot& snapshot, std::string_view name, std::string_view resource) {
  const auto column = snapshot.held_fraction(*snapshot.topology().column(resource));
  return column[snapshot.topology().find(name)->index];
}

std::shared_ptr<const Snapshot> snapshot_of(const std::vector<model::Node>& nodes,
                                            const std::vector<model::Pod>& pods) {
  ClusterState state((model::GpuPolicy()));
  state.replace(nodes, pods, kNoon);
  return state.snapshot(kNoon);
}

TEST(Snapshot, SubtractsWhatPodsHold) {
  const auto snapshot =
      snapshot_of({node("a").gpus(8).cpu("4").pod_slots(10)},
                  {pod("p").on("a").gpus(3).cpu("500m"), pod("q").on("a").gpus(1)});
  EXPECT_EQ(free_units(*snapshot, "a", "nvidia.com/gpu"), 4);
  EXPECT_EQ(free_units(*snapshot, "a", "cpu"), 3500);
  EXPECT_EQ(free_units(*snapshot, "a", "pods"), 8);
  EXPECT_FLOAT_EQ(held_fraction(*snapshot, "a", "nvidia.com/gpu"), 0.5F);
  EXPECT_EQ(snapshot->free(*snapshot->topology().column("cpu")).size(), 64U);
}

TEST(Snapshot, IsNegativeOnAnOverCommittedNode) {
  const auto snapshot = snapshot_of({node("a").gpus(1)}, {pod("p").on("a").gpus(3)});
  EXPECT_EQ(free_units(*snapshot, "a", "nvidia.com/gpu"), -2);
  EXPECT_EQ(held_fraction(*snapshot, "a", "nvidia.com/gpu"), 1.0F);
}

TEST(Snapshot, HoldsNothingOfWhatTheNodeDoesNotHave) {
  const auto snapshot =
      snapshot_of({node("a"), node("b").gpus(1)}, {pod("p").on("a").gpus(3).requests("x/y", "1")});
  EXPECT_EQ(free_units(*snapshot, "a", "nvidia.com/gpu"), -3);
  EXPECT_EQ(held_fraction(*snapshot, "a", "nvidia.com/gpu"), 0.0F);
  EXPECT_EQ(snapshot->topology().column("x/y"), std::nullopt);
}

TEST(Snapshot, SaturatesInsteadOfOverflowing) {
  const auto snapshot =
      snapshot_of({node("a").memory("1Gi"), node("b").memory("0")},
                  {pod("p").on("a").memory("8E"), pod("q").on("a").memory("8E"),
                   pod("r").on("b").memory("9223372036854775807"), pod("s").on("b").memory("9E")});
  EXPECT_EQ(free_units(*snapshot, "a", "memory"), (std::int64_t{1} << 30) - INT64_MAX);
  EXPECT_EQ(free_units(*snapshot, "b", "memory"), -INT64_MAX);
}

TEST(Snapshot, TellsWhatANodeNameHolds) {
  const auto snapshot = snapshot_of({node("a").gpus(8), node("idle")},
                                    {pod("p").on("a").gpus(2).cpu("1"), pod("q").on("ghost")});
  const Held* held = snapshot->held("a");
  ASSERT_NE(held, nullptr);
  ASSERT_EQ(held->size(), 3U);
  EXPECT_EQ((*held)[0].resource, "cpu");
  EXPECT_EQ((*held)[0].units, 1000);
  EXPECT_EQ((*held)[1].resource, "nvidia.com/gpu");
  EXPECT_EQ((*held)[1].units, 2);
  EXPECT_EQ((*held)[2].resource, "pods");
  EXPECT_EQ((*held)[2].units, 1);
  EXPECT_EQ(snapshot->held("idle"), nullptr);
  EXPECT_EQ(snapshot->held("nowhere"), nullptr);
  ASSERT_NE(snapshot->held("ghost"), nullptr);
  EXPECT_EQ(snapshot->held("ghost")->front().units, 1);
}

TEST(SnapshotWithNodes, JudgesOtherNodeFactsWithTheSamePods) {
  const auto base = snapshot_of({node("a").gpus(1)},
                                {pod("p").on("a").gpus(1).cpu("1"), pod("q").on("late").gpus(2)});
  const auto snapshot =
      Snapshot::with_nodes(*base, {node("late").gpus(8), node("a").gpus(4).cpu("2")});
  EXPECT_EQ(free_units(*snapshot, "a", "nvidia.com/gpu"), 3);
  EXPECT_EQ(free_units(*snapshot, "a", "cpu"), 1000);
  EXPECT_EQ(free_units(*snapshot, "late", "nvidia.com/gpu"), 6);
  EXPECT_EQ(snapshot->generation(), base->generation());
  EXPECT_EQ(snapshot->taken_at(), base->taken_at());
  EXPECT_EQ(free_units(*base, "a", "nvidia.com/gpu"), 0) << "the base is what it was";
}

TEST(SnapshotWithNodes, KeepsTheHistoryOfTheSameNode) {
  ClusterState state((model::GpuPolicy()));
  for (const char* name : {"same", "reborn"}) {
    state.upsert_node(node(name), kNoon);
    state.upsert_node(node(name).gpus(1), kNoon);
  }
  const auto base = state.snapshot(kNoon);
  const auto snapshot =
      Snapshot::with_nodes(*base, {node("same").gpus(1), node("reborn").uid("other").gpus(1)});
  const Topology& topology = snapshot->topology();
  EXPECT_EQ(topology.history(*topology.find("same")).gpus_appeared, kNoon);
  EXPECT_EQ(topology.history(*topology.find("reborn")).gpus_appeared, std::nullopt);
}

TEST(SnapshotWithNodes, TakesTheFirstOfNodesWithOneName) {
  const auto base = snapshot_of({}, {});
  const auto snapshot = Snapshot::with_nodes(*base, {node("a").gpus(1), node("a").gpus(2)});
  EXPECT_EQ(snapshot->rows(), 1U);
  EXPECT_EQ(free_units(*snapshot, "a", "nvidia.com/gpu"), 1);
}

TEST(Snapshot, KnowsTheLeastRoomOfEveryWord) {
  std::vector<model::Node> nodes;
  for (int i = 0; i < 128; ++i) nodes.push_back(node("n" + std::to_string(i)).gpus(4));
  const auto snapshot = snapshot_of(nodes, {pod("p").on("n7").gpus(6)});
  const auto column = *snapshot->topology().column("nvidia.com/gpu");
  const auto free = snapshot->free(column);
  const auto least = snapshot->least_free(column);
  ASSERT_EQ(least.size(), 2U);
  for (std::size_t word = 0; word < 2; ++word) {
    EXPECT_EQ(least[word], *std::min_element(&free[word * 64], &free[word * 64] + 64));
  }
  EXPECT_EQ(std::min(least[0], least[1]), -2);  // over-committed
  EXPECT_EQ(std::max(least[0], least[1]), 4);
}

}  // namespace
}  // namespace berth::cluster
