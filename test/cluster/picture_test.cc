#include "berth/cluster/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "berth/cluster/state.h"
#include "test/support/builders.h"

namespace berth::cluster {
namespace {

using model::NodeSelectorOperator;
using test_support::claim;
using test_support::device_class;
using test_support::kNoon;
using test_support::node;
using test_support::pod;
using test_support::quantity;
using test_support::requirement;
using test_support::slice;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

model::PodAffinityTerm term_with_keys(std::vector<std::string> match,
                                      std::vector<std::string> mismatch) {
  model::PodAffinityTerm term;
  term.selector.emplace().match_labels = {{"app", "web"}};
  term.topology_key = "kubernetes.io/hostname";
  term.match_label_keys = std::move(match);
  term.mismatch_label_keys = std::move(mismatch);
  return term;
}

TEST(PodTraits, AreWhatOtherPodsDependOn) {
  model::Pod each = pod("p").gpus(2).cpu("1500m");
  each.namespace_name = "team-a";
  each.labels = {{"app", "web"}};
  each.priority = 7;
  const PodTraits traits = traits_of(each);
  EXPECT_EQ(traits.namespace_name, "team-a");
  EXPECT_EQ(traits.labels, (model::Labels{{"app", "web"}}));
  EXPECT_EQ(traits.priority, 7);
  EXPECT_THAT(traits.required_anti_affinity, IsEmpty());
  EXPECT_THAT(traits.requests,
              ElementsAre(HeldResource{"cpu", 1500}, HeldResource{"nvidia.com/gpu", 2},
                          HeldResource{"pods", 1}));
  each.priority.reset();
  EXPECT_EQ(traits_of(each).priority, 0);
}

TEST(PodTraits, HoldMoreWhileAResizeIsInFlight) {
  model::Pod each = pod("p").cpu("1");
  model::ResourceList actuated;
  actuated.set("cpu", quantity("3"));
  each.container_statuses.push_back({"main", actuated, std::nullopt});
  EXPECT_THAT(traits_of(each).requests,
              ElementsAre(HeldResource{"cpu", 3000}, HeldResource{"pods", 1}));
}

TEST(PodTraits, CountPodSlotsWhateverIsRequested) {
  const model::Pod each = pod("p").requests("pods", "5").requests("z.y/none", "0");
  EXPECT_THAT(traits_of(each).requests, ElementsAre(HeldResource{"pods", 1}));
}

TEST(PodTraits, HavePortsOfContainersAndSidecars) {
  const auto container = [](std::int32_t port, bool restartable) {
    model::Container result;
    result.host_ports = {{"10.0.0.1", "UDP", port}, {"", "TCP", 0}};
    result.restartable = restartable;
    return result;
  };
  model::Pod each = pod("p");
  each.init_containers = {container(1, false), container(2, true)};
  each.containers = {container(3, false)};
  EXPECT_THAT(traits_of(each).host_ports,
              UnorderedElementsAre(model::HostPort{"10.0.0.1", "UDP", 2},
                                   model::HostPort{"10.0.0.1", "UDP", 3}));
}

TEST(PodTraits, MergeLabelKeysIntoTheSelector) {
  model::Pod each = pod("p");
  each.labels = {{"version", "7"}, {"tenant", "a"}};
  each.required_pod_anti_affinity = {term_with_keys({"version", "missing"}, {"tenant", "gone"})};
  const PodTraits traits = traits_of(each);
  ASSERT_EQ(traits.required_anti_affinity.size(), 1U);
  const auto& term = traits.required_anti_affinity[0];
  EXPECT_EQ(term.selector->match_labels, (model::Labels{{"app", "web"}}));
  EXPECT_THAT(term.selector->match_expressions,
              ElementsAre(requirement("version", NodeSelectorOperator::kIn, {"7"}),
                          requirement("tenant", NodeSelectorOperator::kNotIn, {"a"})));
  EXPECT_EQ(term.topology_key, "kubernetes.io/hostname");
}

TEST(PodTraits, KeepWhatTheApiServerHasMerged) {
  model::Pod each = pod("p");
  each.labels = {{"version", "8"}};  // changed since the pod was created
  each.required_pod_anti_affinity = {term_with_keys({"version"}, {})};
  const auto created = requirement("version", NodeSelectorOperator::kIn, {"7"});
  each.required_pod_anti_affinity[0].selector->match_expressions = {created};
  EXPECT_THAT(traits_of(each).required_anti_affinity[0].selector->match_expressions,
              ElementsAre(created));
}

TEST(PodTraits, LeaveATermWithoutASelectorAlone) {
  model::Pod each = pod("p");
  each.labels = {{"version", "7"}};
  each.required_pod_anti_affinity = {term_with_keys({"version"}, {})};
  each.required_pod_anti_affinity[0].selector.reset();
  EXPECT_EQ(traits_of(each).required_anti_affinity[0].selector, std::nullopt);
}

Picture picture_of(std::vector<model::Node> nodes, std::vector<model::Pod> pods) {
  return make_picture({std::move(nodes), std::move(pods), {}, {}}, model::GpuPolicy(), kNoon);
}

std::vector<std::string> names_on(const Picture& picture, std::string_view node_name) {
  std::vector<std::string> names;
  for (const auto& each : picture.pods(node_name)) names.push_back(each.name);
  return names;
}

TEST(Picture, HasThePodsOfEveryNodeName) {
  model::Pod running = pod("running").on("a").gpus(1).phase(model::PodPhase::kRunning);
  running.start_time = kNoon;
  const Picture picture =
      picture_of({node("a").gpus(8), node("empty")},
                 {running, pod("leaving").on("a").terminating(), pod("early").on("unknown"),
                  pod("done").on("a").phase(model::PodPhase::kSucceeded)});
  ASSERT_THAT(names_on(picture, "a"), UnorderedElementsAre("running", "leaving"));
  EXPECT_THAT(names_on(picture, "unknown"), ElementsAre("early"));
  EXPECT_THAT(picture.pods("empty"), IsEmpty());
  EXPECT_THAT(picture.pods("nowhere"), IsEmpty());
  for (const auto& each : picture.pods("a")) {
    EXPECT_EQ(each.running, each.name == "running");
    EXPECT_EQ(each.terminating, each.name == "leaving");
    EXPECT_EQ(each.start, each.name == "running" ? kNoon : Time::min());
    EXPECT_EQ(each.traits->requests.front().resource,
              each.name == "running" ? "nvidia.com/gpu" : "pods");
  }
  EXPECT_EQ(picture.topology().rows(), 2U);
}

TEST(Picture, StoresEqualTraitsOnce) {
  const Picture picture =
      picture_of({node("a")}, {pod("p").on("a").gpus(1), pod("q").on("b").gpus(1),
                               pod("r").on("b").gpus(2), pod("waits").gpus(1)});
  EXPECT_EQ(picture.parts().traits.size(), 2U);
  EXPECT_EQ(picture.pods("a")[0].traits, picture.pods("b")[0].traits);
}

TEST(Picture, KnowsWhoWaits) {
  const Picture picture = picture_of(
      {node("a")}, {pod("waits").gpus(3), pod("bound").on("a"),
                    pod("failed").phase(model::PodPhase::kFailed), pod("ends").terminating()});
  ASSERT_NE(picture.pending("default", "waits"), nullptr);
  EXPECT_EQ(picture.pending("default", "waits")->containers.size(), 1U);
  EXPECT_NE(picture.pending("default", "ends"), nullptr);
  EXPECT_EQ(picture.pending("default", "bound"), nullptr);
  EXPECT_EQ(picture.pending("default", "failed"), nullptr);
  EXPECT_EQ(picture.pending("other", "waits"), nullptr);
}

TEST(Picture, CountsTheLastOfPodsWithOneUid) {
  const Picture picture =
      picture_of({node("a").gpus(8), node("b").gpus(8)},
                 {pod("p").gpus(1), pod("q").on("a").gpus(1), pod("p").on("b").gpus(2),
                  pod("q").phase(model::PodPhase::kFailed).on("a")});
  EXPECT_EQ(picture.pending("default", "p"), nullptr);
  EXPECT_THAT(names_on(picture, "a"), IsEmpty());
  EXPECT_THAT(names_on(picture, "b"), ElementsAre("p"));
  EXPECT_EQ(picture.snapshot()->held("a"), nullptr);
}

TEST(Picture, KnowsTheLabelsOfNamespaces) {
  const Picture picture =
      make_picture({{}, {}, {}, {{"team-a", {{"tier", "gold"}}}}}, model::GpuPolicy(), kNoon);
  EXPECT_EQ(picture.parts().namespaces.at("team-a"), (model::Labels{{"tier", "gold"}}));
}

TEST(Picture, JudgesOtherNodesWithTheSamePods) {
  const Picture picture = picture_of({node("a").gpus(1)}, {pod("p").on("b").gpus(2), pod("w")});
  const Picture other = picture.with_nodes({node("b").gpus(8)});
  const auto gpus = *other.topology().column("nvidia.com/gpu");
  EXPECT_EQ(other.snapshot()->free(gpus)[other.topology().find("b")->index], 6);
  EXPECT_THAT(names_on(other, "b"), ElementsAre("p"));
  EXPECT_NE(other.pending("default", "w"), nullptr);
  EXPECT_EQ(other.without_pods("b", {{"default/p"}})
                .snapshot()
                ->free(gpus)[other.topology().find("b")->index],
            8);
  EXPECT_EQ(picture.topology().find("b"), std::nullopt) << "the picture is what it was";
}

TEST(Picture, WithoutPodsTheirRoomIsFree) {
  const Picture picture =
      picture_of({node("a").gpus(8), node("b").gpus(8)},
                 {pod("p").on("a").gpus(1), pod("q").on("a").gpus(2), pod("p2").on("b").gpus(4)});
  const std::vector<std::string> names = {"default/q", "default/p2", "other/p", "default/none"};
  const Picture less = picture.without_pods("a", names);
  EXPECT_THAT(names_on(less, "a"), ElementsAre("p"));
  EXPECT_THAT(names_on(less, "b"), ElementsAre("p2"));
  EXPECT_EQ(less.snapshot(), less.parts().snapshot);
  EXPECT_THAT(*less.snapshot()->held("a"),
              ElementsAre(HeldResource{"nvidia.com/gpu", 1}, HeldResource{"pods", 1}));
  EXPECT_EQ(less.snapshot()->generation(), picture.snapshot()->generation());
  EXPECT_THAT(names_on(picture, "a"), UnorderedElementsAre("p", "q"));
  EXPECT_EQ(less.without_pods("a", {{"default/p"}}).snapshot()->held("a"), nullptr);
  EXPECT_THAT(names_on(picture.without_pods("nowhere", names), "b"), ElementsAre("p2"));
}

TEST(Picture, WithoutPodsClaimsStillHoldTheirDevices) {
  PictureObjects objects;
  objects.nodes = {node("a")};
  objects.pods = {pod("p").on("a").gpus(1)};
  objects.devices = {{device_class("gpu", "nvidia.com/gpu")},
                     {slice("a", 4).on("a")},
                     {claim("c", "a", {"gpu-0"})}};
  const Picture picture = make_picture(std::move(objects), model::GpuPolicy(), kNoon);
  const auto gpus = *picture.topology().column("nvidia.com/gpu");
  ASSERT_TRUE(picture.topology().any_delegated());
  ASSERT_EQ(picture.snapshot()->free(gpus)[0], 3);
  EXPECT_EQ(picture.without_pods("a", {{"default/p"}}).snapshot()->free(gpus)[0], 3);
}

/// Everything that can be read of the room, in a form that compares.
using Numbers = std::vector<std::tuple<std::string, std::vector<std::int64_t>,
                                       std::vector<std::int64_t>, std::vector<float>>>;
Numbers numbers(const Snapshot& snapshot) {
  const auto copy = [](auto span) { return std::vector(span.begin(), span.end()); };
  Numbers result;
  for (const auto& resource : snapshot.topology().resources()) {
    const auto column = *snapshot.topology().column(resource);
    result.emplace_back(resource, copy(snapshot.free(column)), copy(snapshot.least_free(column)),
                        copy(snapshot.held_fraction(column)));
  }
  return result;
}

std::vector<std::tuple<std::string, Held>> pods_on(const Picture& picture,
                                                   std::string_view node_name) {
  std::vector<std::tuple<std::string, Held>> result;
  for (const auto& each : picture.pods(node_name)) {
    result.emplace_back(each.traits->namespace_name + '/' + each.name, each.traits->requests);
  }
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  return result;
}

std::optional<Held> held_on(const Picture& picture, std::string_view node_name) {
  const Held* held = picture.snapshot()->held(node_name);
  return held != nullptr ? std::optional(*held) : std::nullopt;
}

// Against a picture that never had the pods.
TEST(Picture, WithoutPodsIsWhatItWouldBeIfTheyHadNeverBeen) {
  const std::uint64_t seed = 20261201;
  std::mt19937_64 random(seed);
  const std::vector<std::string> amounts = {"1", "2", "250m", "6E", "9223372036854775807", "0"};
  for (int round = 0; round < 60; ++round) {
    std::vector<model::Node> nodes;
    for (int i = 0; i < 70; ++i) {
      nodes.push_back(node("n" + std::to_string(i)).gpus(static_cast<int>(random() % 9)).cpu("8"));
    }
    std::vector<model::Pod> pods;
    for (int i = 0; i < 200; ++i) {
      // Also on names that are no nodes, and pods of one name in two namespaces.
      auto each = pod("p" + std::to_string(i / 2)).uid("u" + std::to_string(i));
      each.on("n" + std::to_string(random() % 75)).gpus(static_cast<int>(random() % 4));
      if (random() % 2 == 0) each.requests("memory", amounts[random() % amounts.size()]);
      if (random() % 2 == 0) each.requests("x.y/z", amounts[random() % amounts.size()]);
      pods.push_back(each);
      pods.back().namespace_name = i % 2 == 0 ? "even" : "odd";
    }
    const std::string where = "n" + std::to_string(random() % 75);
    std::vector<std::string> gone;
    std::vector<model::Pod> others;
    for (const auto& each : pods) {
      const bool goes = each.node_name == where && random() % 2 == 0;
      if (goes) gone.push_back(each.namespace_name + '/' + each.name);
      if (!goes) others.push_back(each);
    }
    const Picture less = picture_of(nodes, pods).without_pods(where, gone);
    const Picture want = picture_of(nodes, others);
    ASSERT_EQ(numbers(*less.snapshot()), numbers(*want.snapshot()))
        << "seed " << seed << ", round " << round;
    for (int i = 0; i < 75; ++i) {
      const std::string each = "n" + std::to_string(i);
      ASSERT_EQ(held_on(less, each), held_on(want, each)) << "round " << round << ' ' << each;
      ASSERT_EQ(pods_on(less, each), pods_on(want, each)) << "round " << round << ' ' << each;
    }
  }
}

}  // namespace
}  // namespace berth::cluster
