#include "berth/model/pod.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "test/model/print.h"

namespace berth::model {

namespace {

constexpr const char* kGpu = "nvidia.com/gpu";

ResourceList cpu(std::string_view text) { return {{"cpu", *parse_quantity(text)}}; }
ResourceList cpu_memory(std::string_view cpu, std::string_view memory) {
  return {{"cpu", *parse_quantity(cpu)}, {"memory", *parse_quantity(memory)}};
}
ResourceList gpus(std::int64_t count) { return {{kGpu, Quantity::from_units(count)}}; }

Container container(std::string name, ResourceList requests) {
  Container result;
  result.name = std::move(name);
  result.requests = std::move(requests);
  return result;
}
Container sidecar(std::string name, ResourceList requests) {
  Container result = container(std::move(name), std::move(requests));
  result.restartable = true;
  return result;
}

struct InitContainer {
  std::int64_t request;
  bool restartable;
};

struct RequestCase {
  const char* name;
  std::vector<std::int64_t> containers;
  std::vector<InitContainer> init_containers;
  std::int64_t overhead;
  std::int64_t want;
};

void PrintTo(const RequestCase& test, std::ostream* out) { *out << test.name; }

class EffectiveRequestTable : public ::testing::TestWithParam<RequestCase> {};

TEST_P(EffectiveRequestTable, IsTheMostThatRunsTogether) {
  for (const std::string resource : {"nvidia.com/gpu", "cpu", "example.com/fpga"}) {
    const auto request = [&](std::int64_t count) {
      return ResourceList{{resource, Quantity::from_units(count)}};
    };
    Pod pod;
    for (const auto count : GetParam().containers) {
      pod.containers.push_back(container("app", request(count)));
    }
    for (const auto& [count, restartable] : GetParam().init_containers) {
      pod.init_containers.push_back(container("init", request(count)));
      pod.init_containers.back().restartable = restartable;
    }
    if (GetParam().overhead != 0) pod.overhead = request(GetParam().overhead);
    EXPECT_EQ(effective_request(pod, RequestBasis::kSpec), request(GetParam().want)) << resource;
    EXPECT_EQ(effective_request(pod, RequestBasis::kSpecAndStatus), request(GetParam().want));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Pods, EffectiveRequestTable,
    ::testing::Values(RequestCase{"TwoContainers", {1, 1}, {}, 0, 2},
                      RequestCase{"LargeInit", {1}, {{4, false}}, 0, 4},
                      RequestCase{"SmallInit", {2, 1}, {{2, false}}, 0, 3},
                      RequestCase{"SidecarBeforeInit", {1}, {{1, true}, {3, false}}, 0, 4},
                      RequestCase{"InitBeforeSidecar", {1}, {{3, false}, {1, true}}, 0, 3},
                      RequestCase{
                          "SidecarInitSidecar", {1}, {{1, true}, {3, false}, {2, true}}, 0, 4},
                      RequestCase{"SidecarAndOverhead", {3}, {{2, true}}, 1, 6},
                      RequestCase{"OnlyInitContainers", {}, {{2, false}, {3, false}}, 0, 3},
                      RequestCase{"OverheadOnTopOfTheInitPeak", {1}, {{4, false}}, 1, 5}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(EffectiveRequest, IsEmptyForAPodThatAsksNothing) {
  Pod pod;
  pod.containers = {container("app", {})};
  EXPECT_TRUE(effective_request(pod, RequestBasis::kSpec).empty());
}

TEST(EffectiveRequest, TakesThePeakOfEachResourceAlone) {
  Pod pod;
  pod.containers = {
      container("app", {{"cpu", *parse_quantity("2")}, {kGpu, *parse_quantity("1")}})};
  pod.init_containers = {container("init", cpu_memory("1", "8Gi"))};
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpec),
            (ResourceList{{"cpu", *parse_quantity("2")},
                          {"memory", *parse_quantity("8Gi")},
                          {kGpu, *parse_quantity("1")}}));
}

TEST(EffectiveRequest, SumsBeforeItRounds) {
  Pod pod;
  pod.containers = {container("a", cpu("0.5m")), container("b", cpu("0.5m"))};
  EXPECT_EQ(milli_cpu_of(effective_request(pod, RequestBasis::kSpec)), MilliCpu(1));
}

TEST(EffectiveRequest, LetsThePodLevelReplaceCpuMemoryAndHugePages) {
  Pod pod;
  pod.containers = {container("app", {{"cpu", *parse_quantity("4")},
                                      {"memory", *parse_quantity("1Gi")},
                                      {"hugepages-2Mi", *parse_quantity("4Mi")},
                                      {kGpu, *parse_quantity("1")}})};
  pod.pod_level_requests = ResourceList{{"cpu", *parse_quantity("3")},  // smaller: no maximum
                                        {"hugepages-2Mi", *parse_quantity("8Mi")},
                                        {"hugepages-1Gi", *parse_quantity("1Gi")}};
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpec),
            (ResourceList{{"cpu", *parse_quantity("3")},
                          {"memory", *parse_quantity("1Gi")},
                          {"hugepages-2Mi", *parse_quantity("8Mi")},
                          {"hugepages-1Gi", *parse_quantity("1Gi")},
                          {kGpu, *parse_quantity("1")}}));
}

TEST(EffectiveRequest, IgnoresWhatThePodLevelCannotSet) {
  Pod pod;
  pod.containers = {container("app", gpus(1))};
  pod.pod_level_requests =
      ResourceList{{kGpu, *parse_quantity("8")}, {"ephemeral-storage", *parse_quantity("1Gi")}};
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpec), gpus(1));
}

TEST(EffectiveRequest, AddsOverheadToThePodLevel) {
  Pod pod;
  pod.containers = {container("app", cpu("1"))};
  pod.pod_level_requests = cpu("3");
  pod.overhead = cpu("250m");
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpec), cpu("3250m"));
}

/// A pod with one container that asks for 2 CPU, and that status of it.
Pod resized(std::optional<ResourceList> actuated, std::optional<ResourceList> allocated,
            bool infeasible) {
  Pod pod;
  pod.containers = {container("app", cpu("2"))};
  pod.container_statuses = {{"app", std::move(actuated), std::move(allocated)}};
  pod.resize_infeasible = infeasible;
  return pod;
}

struct ResizeCase {
  const char* name;
  std::optional<std::string> actuated;
  std::optional<std::string> allocated;
  bool infeasible;
  const char* want;
};

void PrintTo(const ResizeCase& test, std::ostream* out) { *out << test.name; }

class ResizeTable : public ::testing::TestWithParam<ResizeCase> {};

TEST_P(ResizeTable, HoldsTheLargerOfOldAndNew) {
  const auto list = [](const std::optional<std::string>& text) {
    return text ? std::optional(cpu(*text)) : std::nullopt;
  };
  const Pod pod =
      resized(list(GetParam().actuated), list(GetParam().allocated), GetParam().infeasible);
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpecAndStatus), cpu(GetParam().want));
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpec), cpu("2"));
}

INSTANTIATE_TEST_SUITE_P(
    Statuses, ResizeTable,
    ::testing::Values(ResizeCase{"Nothing", {}, {}, false, "2"},
                      ResizeCase{"GrowingNotGranted", "1", "1", false, "2"},
                      ResizeCase{"ShrinkingNotInEffect", "3", "2", false, "3"},
                      ResizeCase{"ShrinkingNotGranted", "3", "3", false, "3"},
                      ResizeCase{"GrantedAboveAll", "1", "4", false, "4"},
                      ResizeCase{"AllocatedAlone", {}, "3", false, "3"},
                      ResizeCase{"Infeasible", "1", "1", true, "1"},
                      ResizeCase{"InfeasibleTakesTheLarger", "500m", "1", true, "1"},
                      ResizeCase{"InfeasibleWithoutAllocated", "1", {}, true, "1"},
                      ResizeCase{"InfeasibleWithoutActuated", {}, "1", true, "2"},
                      ResizeCase{"InfeasibleWithoutStatus", {}, {}, true, "2"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(EffectiveRequest, KeepsGpusOfAnInfeasibleResize) {
  Pod pod = resized(cpu("1"), cpu("1"), true);
  pod.containers[0].requests.set(kGpu, Quantity::from_units(1));
  ResourceList want = cpu("1");
  want.add(gpus(1));
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpecAndStatus), want);
}

TEST(EffectiveRequest, TakesTheMaximumOfEachContainerBeforeItSums) {
  Pod pod;
  pod.containers = {container("a", cpu("1")), container("b", cpu("4"))};
  pod.container_statuses = {{"b", cpu("2"), cpu("2")}, {"a", cpu("3"), cpu("3")}};
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpecAndStatus), cpu("7"));
}

TEST(EffectiveRequest, ResizesSidecarsButNotOrdinaryInitContainers) {
  Pod pod;
  pod.containers = {container("app", cpu("1"))};
  pod.init_containers = {sidecar("side", cpu("1")), container("init", cpu("1"))};
  pod.init_container_statuses = {{"side", cpu("2"), cpu("2")}, {"init", cpu("9"), cpu("9")}};
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpecAndStatus), cpu("3"));
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpec), cpu("2"));
}

TEST(EffectiveRequest, TakesThePodLevelResizeAsAMaximumWithSpec) {
  Pod pod;
  pod.containers = {container("app", cpu_memory("1", "1Gi"))};
  pod.pod_level_requests = cpu("2");
  pod.pod_level_actuated = cpu_memory("3", "9Gi");
  pod.pod_level_allocated = cpu_memory("4", "9Gi");
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpecAndStatus), cpu_memory("4", "1Gi"));
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpec), cpu_memory("2", "1Gi"));
  pod.pod_level_actuated = cpu("5");
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpecAndStatus), cpu_memory("5", "1Gi"));
  pod.pod_level_requests = cpu("6");
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpecAndStatus), cpu_memory("6", "1Gi"));
  pod.pod_level_requests.reset();
  EXPECT_EQ(effective_request(pod, RequestBasis::kSpecAndStatus), cpu_memory("1", "1Gi"));
}

TEST(HoldsRoom, UntilItIsTerminal) {
  Pod pod;
  pod.node_name = "node-1";
  for (const auto phase : {PodPhase::kPending, PodPhase::kRunning, PodPhase::kUnknown}) {
    pod.phase = phase;
    EXPECT_TRUE(holds_room(pod));
  }
  for (const auto phase : {PodPhase::kSucceeded, PodPhase::kFailed}) {
    pod.phase = phase;
    EXPECT_FALSE(holds_room(pod));
  }
}

TEST(HoldsRoom, WhileItTerminates) {
  Pod pod;
  pod.node_name = "node-1";
  pod.phase = PodPhase::kRunning;
  pod.terminating = true;
  EXPECT_TRUE(holds_room(pod));
}

TEST(WaitsForNode, UntilItIsBoundOrTerminal) {
  Pod pod;
  EXPECT_TRUE(waits_for_node(pod));
  pod.terminating = true;
  EXPECT_TRUE(waits_for_node(pod));
  pod.phase = PodPhase::kFailed;
  EXPECT_FALSE(waits_for_node(pod));
  pod.phase = PodPhase::kPending;
  pod.node_name = "node-1";
  EXPECT_FALSE(waits_for_node(pod));
}

TEST(HoldsRoom, OnlyWhenBound) {
  Pod pod;
  pod.phase = PodPhase::kRunning;
  EXPECT_FALSE(holds_room(pod));
}

}  // namespace
}  // namespace berth::model
