#include "berth/cluster/state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "test/support/builders.h"

namespace berth::cluster {
namespace {

using std::chrono::minutes;
using test_support::kNoon;
using test_support::node;
using test_support::pod;

constexpr const char* kUid = "8c1f0a54-3a2b-4f0e-9d57-0123456789ab";

class ClusterStateTest : public ::testing::Test {
 protected:
  std::int64_t free_gpus(std::string_view name) {
    const auto snapshot = state_.snapshot(kNoon);
    const auto& topology = snapshot->topology();
    return snapshot->free(*topology.column("nvidia.com/gpu"))[topology.find(name)->index];
  }
  model::ReadinessHistory history(std::string_view name) {
    const auto snapshot = state_.snapshot(kNoon);
    return snapshot->topology().history(*snapshot->topology().find(name));
  }
  ClusterState state_{model::GpuPolicy()};
};

TEST_F(ClusterStateTest, StartsEmpty) {
  EXPECT_EQ(state_.nodes(), 0U);
  EXPECT_EQ(state_.pods(), 0U);
  EXPECT_EQ(state_.snapshot(kNoon)->rows(), 0U);
}

TEST_F(ClusterStateTest, CountsAPodWhereverItWasLastSeen) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  state_.upsert_node(node("b").gpus(8), kNoon);
  state_.upsert_pod(pod("p").uid(kUid).on("a").gpus(2));
  EXPECT_EQ(free_gpus("a"), 6);
  state_.upsert_pod(pod("p").uid(kUid).on("b").gpus(3));
  EXPECT_EQ(free_gpus("a"), 8);
  EXPECT_EQ(free_gpus("b"), 5);
  EXPECT_EQ(state_.pods(), 1U);
  state_.remove_pod(kUid);
  EXPECT_EQ(free_gpus("b"), 8);
  EXPECT_EQ(state_.pods(), 0U);
}

model::Pod at_version(model::Pod pod, std::string_view version) {
  pod.resource_version = version;
  return pod;
}
model::Node at_version(model::Node node, std::string_view version) {
  node.resource_version = version;
  return node;
}

TEST_F(ClusterStateTest, IgnoresAnOlderSightOfThePod) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  state_.upsert_pod(at_version(pod("p").uid(kUid).on("a").gpus(2), "100"));
  state_.upsert_pod(at_version(pod("p").uid(kUid).on("a").gpus(5), "99"));
  EXPECT_EQ(free_gpus("a"), 6);
  state_.upsert_pod(at_version(pod("p").uid(kUid).phase(model::PodPhase::kFailed).on("a"), "9"));
  EXPECT_EQ(free_gpus("a"), 6);
  state_.upsert_pod(at_version(pod("p").uid(kUid).on("a").gpus(5), "not a number"));
  EXPECT_EQ(free_gpus("a"), 3);
  state_.upsert_pod(at_version(pod("p").uid(kUid).on("a").gpus(1), "1"));
  EXPECT_EQ(free_gpus("a"), 7);
}

TEST_F(ClusterStateTest, IgnoresAnOlderSightOfTheNode) {
  state_.upsert_node(at_version(node("a").uid("new").gpus(8), "20"), kNoon);
  state_.upsert_node(at_version(node("a").uid("old").gpus(2), "19"), kNoon);
  EXPECT_EQ(free_gpus("a"), 8);
}

TEST_F(ClusterStateTest, TheEndOfANodeThatWasReplacedIsNotTheEndOfItsSuccessor) {
  state_.upsert_node(node("a").uid("new").gpus(8), kNoon);
  state_.remove_node("a", "old");
  EXPECT_EQ(state_.nodes(), 1U);
  state_.remove_node("a", "new");
  EXPECT_EQ(state_.nodes(), 0U);
}

TEST_F(ClusterStateTest, AListRemovesWhatItDoesNotHave) {
  state_.upsert_node(at_version(node("a").gpus(8), "7"), kNoon);
  state_.upsert_node(node("b").gpus(8), kNoon);
  state_.upsert_pod(at_version(pod("p").uid(kUid).on("a").gpus(2), "7"));
  state_.upsert_pod(pod("q").on("a").gpus(1));
  state_.begin_nodes();
  state_.begin_pods();
  // A list is right whatever came before: an API server restored from a backup counts from behind.
  state_.upsert_node(at_version(node("a").gpus(4), "3"), kNoon);
  state_.upsert_pod(at_version(pod("p").uid(kUid).on("a").gpus(3), "3"));
  EXPECT_EQ(state_.nodes(), 2U);
  EXPECT_EQ(state_.pods(), 2U);
  state_.end_nodes();
  state_.end_pods();
  EXPECT_EQ(state_.nodes(), 1U);
  EXPECT_EQ(state_.pods(), 1U);
  EXPECT_EQ(free_gpus("a"), 1);
  state_.upsert_pod(at_version(pod("p").uid(kUid).on("a").gpus(4), "4"));
  EXPECT_EQ(free_gpus("a"), 0);
}

TEST_F(ClusterStateTest, AListThatIsBegunAgainCountsFromItsLastBeginning) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  state_.begin_pods();
  state_.upsert_pod(pod("p").on("a").gpus(2));
  state_.begin_pods();
  state_.upsert_pod(pod("q").on("a").gpus(1));
  state_.end_pods();
  EXPECT_EQ(state_.pods(), 1U);
  EXPECT_EQ(free_gpus("a"), 7);
}

TEST_F(ClusterStateTest, CountsAnUpdateOnce) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  for (int i = 0; i < 3; ++i) state_.upsert_pod(pod("p").on("a").gpus(2));
  EXPECT_EQ(free_gpus("a"), 6);
}

TEST_F(ClusterStateTest, GivesRoomBackWhenAPodIsTerminal) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  for (const auto phase : {model::PodPhase::kSucceeded, model::PodPhase::kFailed}) {
    state_.upsert_pod(pod("p").on("a").gpus(2));
    EXPECT_EQ(free_gpus("a"), 6);
    state_.upsert_pod(pod("p").on("a").gpus(2).phase(phase));
    EXPECT_EQ(free_gpus("a"), 8);
  }
}

TEST_F(ClusterStateTest, KeepsTheRoomOfATerminatingPod) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  state_.upsert_pod(pod("p").on("a").gpus(2).terminating());
  EXPECT_EQ(free_gpus("a"), 6);
}

TEST_F(ClusterStateTest, IgnoresAPodWithoutANode) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  state_.upsert_pod(pod("p").gpus(2));
  EXPECT_EQ(state_.pods(), 0U);
  EXPECT_EQ(free_gpus("a"), 8);
}

TEST_F(ClusterStateTest, CountsAPodThatWasBoundBeforeItsNodeIsKnown) {
  state_.upsert_pod(pod("p").on("a").gpus(2));
  EXPECT_EQ(state_.snapshot(kNoon)->rows(), 0U);
  state_.upsert_node(node("a").gpus(8), kNoon);
  EXPECT_EQ(free_gpus("a"), 6);
}

TEST_F(ClusterStateTest, CountsPodsOfANodeThatIsDeletedAndAddedAgain) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  state_.upsert_pod(pod("p").on("a").gpus(2));
  state_.remove_node("a");
  EXPECT_EQ(state_.nodes(), 0U);
  EXPECT_EQ(state_.snapshot(kNoon)->rows(), 0U);
  state_.upsert_node(node("a").uid("new").gpus(4), kNoon);
  EXPECT_EQ(free_gpus("a"), 2);
  state_.remove_pod("uid-p");
  EXPECT_EQ(free_gpus("a"), 4);
}

TEST_F(ClusterStateTest, ForgetsUnknownThingsQuietly) {
  state_.remove_node("nobody");
  state_.remove_pod("nobody");
  state_.upsert_pod(pod("p").on("ghost"));
  state_.remove_node("ghost");
  EXPECT_EQ(state_.pods(), 1U);
  state_.remove_pod("uid-p");
  EXPECT_EQ(state_.snapshot(kNoon)->held("ghost"), nullptr);
}

TEST_F(ClusterStateTest, KnowsAPodWithoutUidByItsName) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  state_.upsert_pod(pod("p").uid("").on("a").gpus(1));
  state_.upsert_pod(pod("q").uid("").on("a").gpus(1));
  state_.upsert_pod(pod("q").uid("").on("a").gpus(2));
  EXPECT_EQ(free_gpus("a"), 5);
  state_.remove_pod("default/q");
  EXPECT_EQ(free_gpus("a"), 7);
}

TEST_F(ClusterStateTest, TellsUidsApartThatDifferInCase) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  state_.upsert_pod(pod("p").uid(kUid).on("a").gpus(1));
  state_.upsert_pod(pod("p").uid("8C1F0A54-3A2B-4F0E-9D57-0123456789AB").on("a").gpus(1));
  EXPECT_EQ(free_gpus("a"), 6);
}

TEST_F(ClusterStateTest, ComesBackExactlyFromSumsBeyondInt64) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  state_.upsert_pod(pod("small").on("a").requests("nvidia.com/gpu", "1"));
  for (const char* name : {"x", "y", "z"}) {
    state_.upsert_pod(pod(name).on("a").requests("nvidia.com/gpu", "9223372036854775807"));
  }
  EXPECT_EQ(free_gpus("a"), 8 - INT64_MAX);
  for (const char* uid : {"uid-x", "uid-y", "uid-z"}) state_.remove_pod(uid);
  EXPECT_EQ(free_gpus("a"), 7);
}

TEST_F(ClusterStateTest, RemembersWhenLabelsVanishAndGpusAppear) {
  state_.upsert_node(node("a").label("gpu", "true"), kNoon);
  EXPECT_EQ(history("a"), model::ReadinessHistory());
  state_.upsert_node(node("a").label("gpu", "true").gpus(8), kNoon + minutes(1));
  state_.upsert_node(node("a").gpus(8), kNoon + minutes(2));
  EXPECT_EQ(history("a").gpus_appeared, kNoon + minutes(1));
  EXPECT_EQ(history("a").label_vanished, kNoon + minutes(2));
}

TEST_F(ClusterStateTest, StartsAFreshHistoryForANodeWithAnotherUid) {
  state_.upsert_node(node("a"), kNoon);
  state_.upsert_node(node("a").gpus(8), kNoon);
  EXPECT_NE(history("a"), model::ReadinessHistory());
  state_.upsert_node(node("a").uid("new").gpus(8), kNoon);
  EXPECT_EQ(history("a"), model::ReadinessHistory());
  EXPECT_EQ(state_.nodes(), 1U);
}

TEST_F(ClusterStateTest, SharesTheTopologyWhileNoNodeFactChanges) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  const auto first = state_.snapshot(kNoon);
  model::Node heartbeat = node("a").gpus(8);
  heartbeat.resource_version = "2";
  state_.upsert_node(heartbeat, kNoon);
  state_.upsert_pod(pod("p").on("a").gpus(1));
  const auto second = state_.snapshot(kNoon + minutes(1));
  EXPECT_EQ(&first->topology(), &second->topology());
  EXPECT_GT(second->generation(), first->generation());
  EXPECT_EQ(second->taken_at(), kNoon + minutes(1));

  state_.upsert_node(node("a").gpus(8).label("gpu", "true"), kNoon);
  EXPECT_NE(&first->topology(), &state_.snapshot(kNoon)->topology());
}

TEST_F(ClusterStateTest, JudgesByTheNewGpuPolicy) {
  state_.upsert_node(node("a").has("amd.com/gpu", "4"), kNoon);
  EXPECT_TRUE(state_.snapshot(kNoon)->topology().gpus_allocatable().empty());
  model::GpuPolicy amd;
  amd.resources = {"amd.com/*"};
  state_.set_gpu_policy(amd);
  EXPECT_FALSE(state_.snapshot(kNoon)->topology().gpus_allocatable().empty());
}

TEST_F(ClusterStateTest, IsReplacedByExactlyWhatIsGiven) {
  state_.upsert_node(node("kept"), kNoon);
  state_.upsert_node(node("kept").gpus(8), kNoon);
  state_.upsert_node(node("gone").gpus(8), kNoon);
  state_.upsert_pod(pod("kept").on("kept").gpus(1));
  state_.upsert_pod(pod("gone").on("kept").gpus(1));
  state_.upsert_pod(pod("astray").on("gone").gpus(1));

  state_.replace({node("kept").gpus(8), node("new").gpus(4)},
                 {pod("kept").on("kept").gpus(2), pod("fresh").on("new").gpus(1)},
                 kNoon + minutes(1));
  EXPECT_EQ(state_.nodes(), 2U);
  EXPECT_EQ(state_.pods(), 2U);
  EXPECT_EQ(free_gpus("kept"), 6);
  EXPECT_EQ(free_gpus("new"), 3);
  EXPECT_EQ(history("kept").gpus_appeared, kNoon) << "the same uid keeps its history";
  EXPECT_EQ(state_.snapshot(kNoon)->topology().find("gone"), std::nullopt);
  EXPECT_EQ(state_.snapshot(kNoon)->held("gone"), nullptr);
}

TEST_F(ClusterStateTest, TakesTheLastOfObjectsWithOneIdentity) {
  state_.replace({node("a").gpus(1), node("a").gpus(8)},
                 {pod("p").on("a").gpus(1), pod("p").on("a").gpus(2)}, kNoon);
  EXPECT_EQ(state_.nodes(), 1U);
  EXPECT_EQ(free_gpus("a"), 6);
}

TEST_F(ClusterStateTest, KeepsOldSnapshotsAsTheyWere) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  const auto before = state_.snapshot(kNoon);
  state_.upsert_pod(pod("p").on("a").gpus(8));
  state_.remove_node("a");
  const auto after = state_.snapshot(kNoon);
  EXPECT_EQ(before->free(*before->topology().column("nvidia.com/gpu"))[0], 8);
  EXPECT_EQ(after->rows(), 0U);
}

/// Everything a snapshot says in numbers, by node and resource.
std::map<std::string, std::pair<std::int64_t, float>> numbers(const Snapshot& snapshot) {
  std::map<std::string, std::pair<std::int64_t, float>> all;
  const Topology& topology = snapshot.topology();
  for (std::uint32_t i = 0; i < topology.resources().size(); ++i) {
    for (std::uint32_t row = 0; row < snapshot.rows(); ++row) {
      all[topology.node(Row{row}).name + " " + topology.resources()[i]] = {
          snapshot.free(ResourceColumn{i})[row], snapshot.held_fraction(ResourceColumn{i})[row]};
    }
  }
  return all;
}

bool least_is_least(const Snapshot& snapshot) {
  for (std::uint32_t i = 0; i < snapshot.topology().resources().size(); ++i) {
    const auto free = snapshot.free(ResourceColumn{i});
    const auto least = snapshot.least_free(ResourceColumn{i});
    for (std::size_t word = 0; word < least.size(); ++word) {
      const auto first = free.begin() + static_cast<std::ptrdiff_t>(word * kRowsPerWord);
      if (*std::min_element(first, first + kRowsPerWord) != least[word]) return false;
    }
  }
  return true;
}

// A snapshot is made from the last one where it can be: it must say what one made from scratch
// says.
TEST_F(ClusterStateTest, MakesTheSameSnapshotFromTheLastOneAsFromScratch) {
  const std::uint64_t seed = 20261201;
  std::mt19937_64 random(seed);
  std::map<std::string, model::Node> nodes;
  std::map<std::string, model::Pod> pods;
  for (int step = 0; step < 2000; ++step) {
    const std::string name = std::to_string(random() % 90);
    const auto dice = random() % 20;
    if (dice == 0) {
      nodes["n" + name] = node("n" + name).gpus(static_cast<int>(random() % 9)).cpu("64");
      state_.upsert_node(nodes["n" + name], kNoon);
    } else if (dice == 1) {
      nodes.erase("n" + name);
      state_.remove_node("n" + name);
    } else if (dice < 6) {
      pods.erase("uid-" + name);
      state_.remove_pod("uid-" + name);
    } else {
      model::Pod each = pod(name).on("n" + std::to_string(random() % 90)).gpus(1).cpu("2");
      pods["uid-" + name] = each;
      state_.upsert_pod(each);
    }
    if (random() % 3 != 0) continue;
    ClusterState fresh{model::GpuPolicy()};
    std::vector<model::Node> all_nodes;
    std::vector<model::Pod> all_pods;
    for (const auto& [key, each] : nodes) all_nodes.push_back(each);
    for (const auto& [key, each] : pods) all_pods.push_back(each);
    fresh.replace(all_nodes, all_pods, kNoon);
    const auto snapshot = state_.snapshot(kNoon);
    ASSERT_EQ(numbers(*snapshot), numbers(*fresh.snapshot(kNoon))) << "step " << step;
    ASSERT_TRUE(least_is_least(*snapshot)) << "step " << step;
    ASSERT_EQ(state_.pods(), pods.size());
    for (int i = 0; i < 90; ++i) {
      const std::string where = "n" + std::to_string(i);
      const Held* held = snapshot->held(where);
      const auto count = std::count_if(pods.begin(), pods.end(), [&](const auto& item) {
        return item.second.node_name == where;
      });
      ASSERT_EQ(held == nullptr ? 0 : held->back().units, count) << "step " << step << where;
    }
  }
}

TEST_F(ClusterStateTest, ExpectedUsesCountForFractionsAlone) {
  state_.upsert_node(node("a").gpus(8), kNoon);
  state_.upsert_node(node("b").gpus(4), kNoon);
  state_.upsert_pod(pod("p").on("a").gpus(2));
  const auto base = state_.snapshot(kNoon);
  const std::vector<ExpectedUse> uses = {{"a", {{"nvidia.com/gpu", 2}, {"pods", 1}}},
                                         {"a", {{"nvidia.com/gpu", 1}, {"no.such/thing", 1}}},
                                         {"b", {{"nvidia.com/gpu", 9}}},
                                         {"unknown", {{"nvidia.com/gpu", 1}}}};
  const auto expecting = Snapshot::with_expected(*base, uses);
  const auto gpus = *base->topology().column("nvidia.com/gpu");
  const auto a = base->topology().find("a")->index;
  const auto b = base->topology().find("b")->index;
  EXPECT_FLOAT_EQ(base->held_fraction(gpus)[a], 0.25F);
  EXPECT_FLOAT_EQ(expecting->held_fraction(gpus)[a], 0.625F);
  EXPECT_FLOAT_EQ(expecting->held_fraction(gpus)[b], 1.0F);
  EXPECT_EQ(expecting->free(gpus)[a], 6);
  EXPECT_EQ(expecting->free(gpus)[b], 4);
  EXPECT_EQ(expecting->generation(), base->generation());
}

// Against a table of pods that is added up from scratch each time.
TEST_F(ClusterStateTest, AgreesWithAddingUpAfterAnyHistory) {
  const std::uint64_t seed = 20261130;
  std::mt19937_64 random(seed);
  std::map<std::string, model::Pod> known;
  for (int i = 0; i < 4; ++i) state_.upsert_node(node("n" + std::to_string(i)).gpus(100), kNoon);
  for (int step = 0; step < 3000; ++step) {
    const std::string name = "p" + std::to_string(random() % 40);
    if (random() % 4 == 0) {
      known.erase("uid-" + name);
      state_.remove_pod("uid-" + name);
    } else {
      auto changed = pod(name).on("n" + std::to_string(random() % 6));
      changed.gpus(static_cast<int>(random() % 4));
      if (random() % 5 == 0) changed.requests("x.y/" + std::to_string(random() % 50), "1");
      if (random() % 8 == 0) changed.phase(model::PodPhase::kFailed);
      known["uid-" + name] = changed;
      state_.upsert_pod(changed);
    }
    if (step % 50 != 0) continue;
    for (int i = 0; i < 4; ++i) {
      const std::string where = "n" + std::to_string(i);
      std::int64_t want = 100;
      for (const auto& [uid, each] : known) {
        if (each.node_name != where || !model::holds_room(each)) continue;
        want -= each.containers[0].requests.get("nvidia.com/gpu").value();
      }
      ASSERT_EQ(free_gpus(where), want) << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace berth::cluster
