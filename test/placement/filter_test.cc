#include "berth/placement/filter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "berth/cluster/state.h"
#include "test/support/builders.h"

namespace berth::placement {
namespace {

using model::NodeSelectorOperator;
using std::chrono::minutes;
using test_support::kNoon;
using test_support::node;
using test_support::NodeBuilder;
using test_support::pod;
using test_support::PodBuilder;
using test_support::term;

std::string verdict_on(const std::vector<model::Node>& nodes, const std::vector<model::Pod>& bound,
                       const model::Pod& incoming, const Policy& policy,
                       std::string_view node_name) {
  cluster::ClusterState state(policy.gpu);
  state.replace(nodes, bound, kNoon);
  const auto compiled = compile(incoming, policy, state.snapshot(kNoon));
  const auto verdicts = filter(compiled, kNoon);
  const Row row = *compiled.snapshot->topology().find(node_name);
  if (verdicts.passes(row)) return "passes";
  const Refusal refusal = verdicts.refusal(row, compiled);
  return std::string(refusal.reason) + (refusal.resolvable ? " | now" : " | ever");
}

// One node, one pod, one verdict. "| now": evicting pods could cure it (FailedNodes).
struct FilterCase {
  const char* name;
  NodeBuilder on;
  PodBuilder incoming;
  const char* verdict;
  AffinityMode mode = AffinityMode::kSoft;
};

class Filter : public ::testing::TestWithParam<FilterCase> {};

TEST_P(Filter, Says) {
  Policy policy;
  policy.affinity_mode = GetParam().mode;
  // The node holds one pod with a GPU, a core and a gibibyte.
  const auto bound = pod("bound").on("n").gpus(1).cpu("1").memory("1Gi");
  EXPECT_EQ(verdict_on({GetParam().on, node("cpu-1"), node("gpu-9").gpus(9)}, {bound},
                       GetParam().incoming, policy, "n"),
            GetParam().verdict);
}

NodeBuilder gpu_node() { return node("n").gpus(4).cpu("8").memory("32Gi"); }
NodeBuilder ready_node() { return gpu_node().label("gpu", "true"); }
PodBuilder gpu_pod() { return pod("p").gpus(1).cpu("1").memory("1Gi"); }
constexpr AffinityMode kHard = AffinityMode::kHard;
constexpr const char* kNoRule = "node(s) didn't match the GPU label rule | ever";
constexpr const char* kPending = "node(s) GPU label pending | ever";
constexpr const char* kNoGpu = "Insufficient nvidia.com/gpu | ever";
constexpr const char* kNoAffinity = "node(s) didn't match Pod's node affinity/selector | ever";
constexpr const char* kTainted = "node(s) had untolerated taint(s) | ever";

std::string name_of(const ::testing::TestParamInfo<FilterCase>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Resources, Filter,
    ::testing::Values(
        FilterCase{"PassesWithRoomForAll", ready_node(), gpu_pod(), "passes"},
        FilterCase{"PassesWithExactlyTheRoom", ready_node(),
                   pod("p").gpus(3).cpu("7").memory("31Gi"), "passes"},
        FilterCase{"GpusTaken", ready_node(), gpu_pod().gpus(4),
                   "Insufficient nvidia.com/gpu | now"},
        FilterCase{"MoreGpusThanTheNodeHas", ready_node(), gpu_pod().gpus(5), kNoGpu},
        FilterCase{"MemoryTaken", ready_node(), gpu_pod().memory("32Gi"),
                   "Insufficient memory | now"},
        FilterCase{"CpuTaken", ready_node(), gpu_pod().cpu("7001m"), "Insufficient cpu | now"},
        FilterCase{"NoEphemeralStorage", ready_node(), gpu_pod().requests("ephemeral-storage", "1"),
                   "Insufficient ephemeral-storage | ever"},
        FilterCase{"PodSlotsTaken", ready_node().pod_slots(1), gpu_pod(), "Too many pods | now"},
        FilterCase{"NoPodSlots", ready_node().pod_slots(0), pod("p"), "Too many pods | ever"},
        FilterCase{"OtherExtendedResource", ready_node(), gpu_pod().requests("rdma/hca", "1"),
                   "Insufficient rdma/hca | ever"},
        FilterCase{"ScarcestNamesIt", ready_node(),
                   gpu_pod().gpus(9).cpu("99").memory("1Ti").requests("rdma/hca", "1"), kNoGpu},
        FilterCase{"ExtendedBeforeMemory", ready_node(),
                   gpu_pod().memory("1Ti").requests("rdma/hca", "1"),
                   "Insufficient rdma/hca | ever"},
        FilterCase{"MemoryBeforeCpu", ready_node(), gpu_pod().cpu("8").memory("32Gi"),
                   "Insufficient memory | now"},
        FilterCase{"EverIfAnyRequestExceedsTheNode", ready_node(), gpu_pod().gpus(4).cpu("99"),
                   kNoGpu},
        FilterCase{"NothingAskedNeedsOnlyASlot", node("n").cpu("0"), pod("p"), "passes"},
        FilterCase{"ZeroIsNotAsked", node("n"), pod("p").gpus(0).cpu("0"), "passes"},
        FilterCase{"NothingFreeOnAnOverCommittedNode", ready_node().cpu("500m"),
                   gpu_pod().cpu("1m"), "Insufficient cpu | now"},
        FilterCase{"OverCommittedCpuIsNotAsked", ready_node().cpu("500m"), pod("p").gpus(1),
                   "passes"},
        FilterCase{"PodsCannotAskForSlots", ready_node(), gpu_pod().requests("pods", "500"),
                   "passes"},
        FilterCase{"NoPercentSignReachesAnEvent", ready_node(), gpu_pod().requests("x/%s%n", "1"),
                   "Insufficient x/_s_n | ever"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Defence, Filter,
    ::testing::Values(
        FilterCase{"InvalidRequest", ready_node().cordoned(), gpu_pod().invalid_request("cpu: x"),
                   "Invalid resource request | ever"},
        FilterCase{"Cordon", ready_node().cordoned().taint("a", ""), gpu_pod(),
                   "node(s) were unschedulable | ever"},
        FilterCase{"CordonTolerated", ready_node().cordoned(),
                   gpu_pod().tolerate({"node.kubernetes.io/unschedulable",
                                       model::TolerationOperator::kExists, "", ""}),
                   "passes"},
        FilterCase{"Taint", ready_node().taint("a", "b"), gpu_pod().select("no", "where"),
                   kTainted},
        FilterCase{"TaintTolerated", ready_node().taint("a", "b"),
                   gpu_pod().tolerate({"a", model::TolerationOperator::kEqual, "b", ""}), "passes"},
        FilterCase{"PreferNoScheduleExcludesNobody",
                   ready_node().taint("a", "b", model::TaintEffect::kPreferNoSchedule), gpu_pod(),
                   "passes"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OwnAffinity, Filter,
    ::testing::Values(
        FilterCase{"NodeSelector", ready_node(), gpu_pod().select("zone", "a"), kNoAffinity},
        FilterCase{"NodeSelectorWithoutValue", ready_node().label("zone", ""),
                   gpu_pod().select("zone", ""), "passes"},
        FilterCase{
            "SelectorAndAffinity", ready_node().label("zone", "a"),
            gpu_pod().select("zone", "a").require(term("zone", NodeSelectorOperator::kIn, {"b"})),
            kNoAffinity},
        FilterCase{"AnyTermIsEnough", ready_node(),
                   gpu_pod()
                       .require(term("zone", NodeSelectorOperator::kExists))
                       .require(term("gpu", NodeSelectorOperator::kIn, {"true"})),
                   "passes"},
        FilterCase{"EmptyTermMatchesNothing", ready_node(), gpu_pod().require({}), kNoAffinity},
        FilterCase{"InvalidTermLeavesItsSiblings", ready_node(),
                   gpu_pod()
                       .require(term("a/b/c", NodeSelectorOperator::kExists))
                       .require(term("gpu", NodeSelectorOperator::kExists)),
                   "passes"},
        FilterCase{"FieldNamesTheNode", ready_node(),
                   gpu_pod().require({{}, {{"metadata.name", NodeSelectorOperator::kIn, {"n"}}}}),
                   "passes"},
        FilterCase{
            "FieldNamesAnotherNode", ready_node(),
            gpu_pod().require({{}, {{"metadata.name", NodeSelectorOperator::kNotIn, {"n"}}}}),
            kNoAffinity},
        FilterCase{"AffinityBeforeLabels", gpu_node(), gpu_pod().select("zone", "a"), kNoAffinity,
                   kHard},
        FilterCase{"AnnotationNeverSoftensIt", gpu_node(),
                   gpu_pod().select("gpu", "true").annotation("berth/affinity", "soft"),
                   kNoAffinity}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Readiness, Filter,
    ::testing::Values(
        FilterCase{"SoftPassesUnlabelled", gpu_node(), gpu_pod(), "passes"},
        FilterCase{"HardPassesReady", ready_node(), gpu_pod(), "passes", kHard},
        FilterCase{"HardRefusesUnlabelled", gpu_node(), gpu_pod(), kNoRule, kHard},
        FilterCase{"HardRefusesPending", gpu_node().created(kNoon - minutes(3)), gpu_pod(),
                   kPending, kHard},
        FilterCase{"PendingNamesEvenAFullNode", gpu_node().created(kNoon), gpu_pod().gpus(4),
                   kPending, kHard},
        FilterCase{"GraceIsOver", gpu_node().created(kNoon - minutes(10)), gpu_pod(), kNoRule,
                   kHard},
        FilterCase{"HardByAnnotation", gpu_node(), gpu_pod().annotation("berth/affinity", "hard"),
                   kNoRule},
        FilterCase{"SoftByAnnotation", gpu_node(), gpu_pod().annotation("berth/affinity", "soft"),
                   "passes", kHard},
        FilterCase{"UnknownAnnotationIsThePolicy", gpu_node(),
                   gpu_pod().annotation("berth/affinity", "Soft"), kNoRule, kHard},
        FilterCase{"NotGpuHasNoneToGive", node("n").cpu("8").memory("32Gi"), gpu_pod(), kNoGpu},
        FilterCase{"NotGpuHasNoneToGiveHard", node("n").cpu("8").memory("32Gi"), gpu_pod(), kNoGpu,
                   kHard},
        FilterCase{"DevicePending",
                   ready_node().gpus(0).capacity_only("nvidia.com/gpu", "4").created(kNoon),
                   gpu_pod(), kNoGpu, kHard},
        FilterCase{"DeviceLostWithoutLabel",
                   gpu_node().gpus(0).capacity_only("nvidia.com/gpu", "4"), gpu_pod(), kNoGpu,
                   kHard},
        FilterCase{"Reconfiguring", ready_node().label("nvidia.com/mig.config.state", "pending"),
                   gpu_pod(), "node(s) GPU being reconfigured | ever"},
        FilterCase{"Reconfigured", ready_node().label("nvidia.com/mig.config.state", "success"),
                   gpu_pod(), "passes"},
        FilterCase{"LeavingPassesSoft",
                   gpu_node().taint("DeletionCandidateOfClusterAutoscaler", "1",
                                    model::TaintEffect::kPreferNoSchedule),
                   gpu_pod(), "passes"},
        FilterCase{"LeavingPassesHardWithLabel",
                   ready_node().taint("DeletionCandidateOfClusterAutoscaler", "1",
                                      model::TaintEffect::kPreferNoSchedule),
                   gpu_pod(), "passes", kHard},
        FilterCase{"LeavingNeedsTheLabelHard",
                   gpu_node().created(kNoon).taint("DeletionCandidateOfClusterAutoscaler", "1",
                                                   model::TaintEffect::kPreferNoSchedule),
                   gpu_pod(), kNoRule, kHard},
        FilterCase{"NoLabelRuleForOtherPods", gpu_node(), pod("p").cpu("1"), "passes", kHard},
        FilterCase{"OtherPodsMayUseAReconfiguringNode",
                   ready_node().label("nvidia.com/mig.config.state", "pending"), pod("p").cpu("1"),
                   "passes", kHard},
        FilterCase{"MigSlicesMakeAGpuPod", gpu_node().has("nvidia.com/mig-1g.5gb", "2"),
                   pod("p").requests("nvidia.com/mig-1g.5gb", "1"), kNoRule, kHard}),
    name_of);

TEST(FilterOfACluster, RefusesAllWhatNoNodeHas) {
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(verdict_on({node("a").cpu("4"), node("b").cpu("4")}, {},
                         pod("p").cpu("1").requests("x/y", "1"), {}, name),
              "Insufficient x/y | ever");
  }
}

TEST(FilterOfACluster, JudgesAnEmptyOne) {
  const Policy policy;
  cluster::ClusterState state(policy.gpu);
  const auto compiled = compile(pod("p").gpus(1), policy, state.snapshot(kNoon));
  EXPECT_EQ(filter(compiled, kNoon).passing().count(), 0U);
}

TEST(FilterOfACluster, KeepsEveryRowInWordsAndBetween) {
  std::vector<model::Node> nodes;
  nodes.reserve(129);
  for (int i = 0; i < 129; ++i) {
    nodes.push_back(node("n" + std::to_string(i)).gpus(i % 3 == 0 ? 2 : 1));
  }
  const Policy policy;
  cluster::ClusterState state(policy.gpu);
  state.replace(nodes, {}, kNoon);
  const auto compiled = compile(pod("p").gpus(2), policy, state.snapshot(kNoon));
  const auto verdicts = filter(compiled, kNoon);
  EXPECT_EQ(verdicts.passing().count(), 43U);
  verdicts.passing().for_each([&](Row row) {
    EXPECT_EQ(compiled.snapshot->topology().node(row).allocatable.get("nvidia.com/gpu").value(), 2);
  });
}

TEST(Verdicts, NameTheUnknownNode) {
  EXPECT_EQ(Verdicts::unknown_node(),
            (Refusal{Stage::kUnknownNode, "node(s) unknown to berth", false}));
}

}  // namespace
}  // namespace berth::placement
