#include "test/support/random_case.h"

#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "test/support/builders.h"

namespace berth::test_support {
namespace {

using model::NodeSelectorOperator;
using model::TaintEffect;

constexpr std::array kOperators = {
    NodeSelectorOperator::kIn,     NodeSelectorOperator::kNotIn,
    NodeSelectorOperator::kExists, NodeSelectorOperator::kDoesNotExist,
    NodeSelectorOperator::kGt,     NodeSelectorOperator::kLt,
    NodeSelectorOperator::kUnknown};
constexpr std::array kEffects = {TaintEffect::kNoSchedule, TaintEffect::kPreferNoSchedule,
                                 TaintEffect::kNoExecute, TaintEffect::kUnknown};
constexpr std::array kLabelKeys = {"gpu", "zone", "size", "nvidia.com/gpu.present", "a/b/c"};
constexpr std::array kLabelValues = {"true", "false", "", "a", "b", "7", "007", "80", "80Gi", "-5"};
constexpr std::array kTaintKeys = {"dedicated", "nvidia.com/gpu", "ToBeDeletedByClusterAutoscaler",
                                   "DeletionCandidateOfClusterAutoscaler"};
constexpr std::array kTaintValues = {"", "team-a", "1700000000"};
constexpr std::array kGpuResources = {"nvidia.com/gpu", "nvidia.com/mig-1g.5gb",
                                      "nvidia.com/mig-3g.20gb"};
constexpr std::array kDrivers = {"gpu.nvidia.com", "nic.example.com"};
constexpr std::array kSelectors = {"device.driver == 'gpu.nvidia.com'",
                                   "device.driver == \"nic.example.com\"",
                                   "device.driver == 'gpu.nvidia.com' && device.x", "true"};
constexpr std::array kServed = {"nvidia.com/gpu", "nvidia.com/gpu", "nvidia.com/mig-1g.5gb",
                                "example.com/fpga", ""};
constexpr std::array kExtended = {"example.com/fpga", "rdma/hca", "hugepages-2Mi"};
constexpr std::array kCpuSizes = {"0", "1500m", "4", "8", "64", "100u", "9223372036854775807"};
constexpr std::array kMemorySizes = {"0", "512Mi", "24Gi", "32Gi", "1Ti", "1.5", "8Ei"};
constexpr std::array kCpuRequests = {"0", "1", "250m", "1500m", "6", "8", "100u", "8E"};
constexpr std::array kMemoryRequests = {"0", "1", "128974848", "24Gi", "32Gi", "7.5Gi", "8Ei"};
constexpr std::array kMigStates = {"success", "pending", "rebooting", "failed", ""};

std::string node_name(std::uint64_t number) { return "node-" + std::to_string(number); }

void choose_labels(Choices& choices, NodeBuilder& node) {
  while (choices.chance(60)) node.label(choices.of(kLabelKeys), choices.of(kLabelValues));
  if (choices.chance(60)) node.label("gpu", "true");
  if (choices.chance(10)) node.label("nvidia.com/mig.config.state", choices.of(kMigStates));
}

void choose_sizes(Choices& choices, NodeBuilder& node) {
  if (!choices.chance(3)) node.cpu(choices.of(kCpuSizes));
  if (!choices.chance(3)) node.memory(choices.of(kMemorySizes));
  if (choices.chance(50)) node.has(model::kEphemeralStorage, choices.of(kMemorySizes));
  if (choices.chance(60)) node.gpus(static_cast<int>(choices.below(9)));
  if (choices.chance(15)) {
    node.has(choices.of(kGpuResources), std::to_string(choices.below(4)));
  }
  if (choices.chance(10)) node.has(choices.of(kExtended), std::to_string(choices.below(4)));
  if (choices.chance(10)) node.capacity_only("nvidia.com/gpu", "4");
  if (choices.chance(30)) node.pod_slots(static_cast<int>(choices.below(5)));
}

void choose_condition(Choices& choices, NodeBuilder& node, Time now) {
  if (choices.chance(90)) {
    // Around the ten minutes of grace, some in the future.
    node.created(now - std::chrono::seconds(choices.below(1300)) + std::chrono::seconds(100));
  }
  if (choices.chance(5)) node.cordoned();
  while (choices.chance(12)) {
    node.taint(choices.of(kTaintKeys), choices.of(kTaintValues), choices.of(kEffects));
  }
}

RandomNode choose_node(Choices& choices, std::uint64_t number, Time now) {
  NodeBuilder builder = node(node_name(number));
  choose_labels(choices, builder);
  choose_sizes(choices, builder);
  choose_condition(choices, builder, now);
  RandomNode result{std::nullopt, builder};
  if (choices.chance(15)) {
    result.earlier = result.node;
    if (choices.chance(50)) result.earlier->labels.set("gpu", "true");
    if (choices.chance(50)) result.earlier->allocatable.set("nvidia.com/gpu", {});
    if (choices.chance(20)) result.earlier->uid = "an earlier node of that name";
  }
  return result;
}

void choose_requests(Choices& choices, PodBuilder& pod) {
  if (choices.chance(80)) pod.cpu(choices.of(kCpuRequests));
  if (choices.chance(80)) pod.memory(choices.of(kMemoryRequests));
  if (choices.chance(60)) pod.gpus(static_cast<int>(choices.below(4)));
  if (choices.chance(10)) {
    pod.requests(choices.of(kGpuResources), std::to_string(choices.below(3)));
  }
  if (choices.chance(10)) pod.requests(choices.of(kExtended), std::to_string(choices.below(3)));
  if (choices.chance(20)) pod.requests(model::kEphemeralStorage, choices.of(kMemoryRequests));
  if (choices.chance(3)) pod.requests("deviceclass.resource.kubernetes.io/class-0", "1");
  if (choices.chance(2)) pod.requests("example.com/no%where", "1");
  if (choices.chance(3)) pod.requests(model::kPods, "500");
}

model::NodeSelectorTerm choose_term(Choices& choices) {
  model::NodeSelectorTerm term;
  while (choices.chance(55)) {
    auto& expression = term.match_expressions.emplace_back();
    expression.key = choices.of(kLabelKeys);
    expression.op = choices.of(kOperators);
    while (choices.chance(50)) expression.values.emplace_back(choices.of(kLabelValues));
  }
  if (choices.chance(15)) {
    auto& field = term.match_fields.emplace_back();
    field.key = choices.chance(80) ? "metadata.name" : "metadata.other";
    field.op = choices.of(kOperators);
    while (choices.chance(60)) field.values.push_back(node_name(choices.below(10)));
  }
  return term;
}

void choose_wishes(Choices& choices, PodBuilder& pod) {
  if (choices.chance(10)) pod.select(choices.of(kLabelKeys), choices.of(kLabelValues));
  if (choices.chance(15)) {
    do {
      pod.require(choose_term(choices));
    } while (choices.chance(50));
  }
  while (choices.chance(40)) {
    pod.prefer(static_cast<std::int64_t>(choices.below(130)) - 10, choose_term(choices));
  }
  if (choices.chance(30)) {
    constexpr std::array kWishes = {"soft", "hard", "HARD", ""};
    pod.annotation("berth/affinity", choices.of(kWishes));
  }
  while (choices.chance(30)) {
    constexpr std::array kOps = {model::TolerationOperator::kEqual,
                                 model::TolerationOperator::kExists,
                                 model::TolerationOperator::kUnknown};
    constexpr std::array kKeys = {"", "dedicated", "nvidia.com/gpu",
                                  "node.kubernetes.io/unschedulable",
                                  "ToBeDeletedByClusterAutoscaler"};
    constexpr std::array kToleratedEffects = {"", "NoSchedule", "NoExecute"};
    pod.tolerate({choices.of(kKeys), choices.of(kOps), choices.of(kTaintValues),
                  choices.of(kToleratedEffects)});
  }
  if (choices.chance(1)) pod.invalid_request("cpu: lots");
}

model::Pod choose_bound_pod(Choices& choices, std::size_t number, std::size_t nodes) {
  constexpr std::array kPhases = {model::PodPhase::kRunning, model::PodPhase::kPending,
                                  model::PodPhase::kSucceeded, model::PodPhase::kFailed,
                                  model::PodPhase::kUnknown};
  PodBuilder builder = pod("bound-" + std::to_string(number));
  choose_requests(choices, builder);
  builder.on(node_name(choices.below(nodes + 1)));
  if (choices.chance(30)) builder.phase(choices.of(kPhases));
  if (choices.chance(10)) builder.terminating();
  return builder;
}

/// Mostly the one slice of its node's pool, with GPUs.
model::ResourceSlice choose_slice(Choices& choices, std::size_t number, std::size_t nodes) {
  const std::string where = node_name(number < nodes ? number : choices.below(nodes + 1));
  const bool alone = choices.chance(85);
  SliceBuilder builder = slice(alone ? where : "shared", static_cast<int>(choices.below(5)));
  builder.name("slice-" + std::to_string(number)).on(where);
  if (choices.chance(15)) builder.driver(choices.of(kDrivers));
  if (choices.chance(15)) builder.generation(static_cast<std::int64_t>(choices.below(3)));
  if (choices.chance(10)) builder.of(static_cast<std::int64_t>(choices.below(3)));
  if (choices.chance(3)) builder.device("gpu-0");
  if (choices.chance(5)) builder.device("part-0", {}, false);
  if (choices.chance(5)) {
    builder.on("");
    while (choices.chance(70)) {
      builder.device("far-" + std::to_string(choices.below(9)), node_name(choices.below(nodes)));
    }
  }
  return builder;
}

placement::Policy choose_policy(Choices& choices) {
  constexpr std::array kWeights = {1.0F, 0.0F, 0.5F, 5.0F, 1000.0F};
  placement::Policy policy;
  if (choices.chance(40)) policy.affinity_mode = placement::AffinityMode::kHard;
  if (choices.chance(40)) policy.strategy = placement::StrategyName::kSpread;
  if (choices.chance(40)) policy.answer = placement::AnswerForm::kDecisive;
  if (choices.chance(5)) policy.gpu.label_rule.clear();
  if (choices.chance(5)) policy.gpu.grace = Duration::zero();
  if (choices.chance(5)) policy.gpu.resources.emplace_back("deviceclass.resource.kubernetes.io/*");
  if (choices.chance(40)) {
    policy.weights = {choices.of(kWeights), choices.of(kWeights), choices.of(kWeights),
                      choices.of(kWeights), choices.of(kWeights)};
  }
  return policy;
}

}  // namespace

model::DeviceObjects random_devices(Choices& choices, std::size_t nodes) {
  model::DeviceObjects objects;
  const std::size_t classes = 1 + choices.below(3);
  for (std::size_t i = 0; i < classes; ++i) {
    auto& each = objects.classes.emplace_back(
        device_class("class-" + std::to_string(i), choices.of(kServed)));
    if (choices.chance(40)) each.selectors = {choices.of(kSelectors)};
    if (choices.chance(10)) each.selectors.clear();
    if (choices.chance(50)) each.creation_time = kNoon + std::chrono::hours(choices.below(2));
  }
  const std::size_t slices = nodes / 2 + choices.below(nodes + 1);
  for (std::size_t i = 0; i < slices; ++i) {
    objects.slices.push_back(choose_slice(choices, i, nodes));
  }
  const std::size_t claims = choices.below(2 * nodes + 1);
  for (std::size_t i = 0; i < claims; ++i) {
    auto& each = objects.claims.emplace_back(claim("claim-" + std::to_string(i), "", {}));
    while (choices.chance(70)) {
      each.allocated.push_back({kDrivers[choices.chance(10) ? 1 : 0],
                                node_name(choices.below(nodes + 1)),
                                "gpu-" + std::to_string(choices.below(5))});
    }
  }
  return objects;
}

RandomCase random_case(Choices& choices, std::size_t max_nodes, std::size_t pods) {
  RandomCase random;
  random.now = kNoon;
  random.first_seen = kNoon - std::chrono::minutes(1);
  random.policy = choose_policy(choices);
  const std::size_t nodes = 1 + choices.below(max_nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    random.nodes.push_back(choose_node(choices, i, random.now));
  }
  const std::size_t bound = choices.below(2 * nodes + 1);
  for (std::size_t i = 0; i < bound; ++i) {
    random.bound.push_back(choose_bound_pod(choices, i, nodes));
  }
  if (choices.chance(40)) random.devices = random_devices(choices, nodes);
  for (std::size_t i = 0; i < pods; ++i) {
    PodBuilder builder = pod("incoming-" + std::to_string(i));
    choose_requests(choices, builder);
    choose_wishes(choices, builder);
    random.incoming.push_back(builder);
  }
  return random;
}

cluster::ClusterState state_of(const RandomCase& random) {
  cluster::ClusterState state(random.policy.gpu);
  for (const auto& claim : random.devices.claims) state.upsert_resource_claim(claim);
  for (const auto& pod : random.bound) state.upsert_pod(pod);
  for (const auto& [earlier, node] : random.nodes) {
    if (earlier) state.upsert_node(*earlier, random.first_seen);
  }
  for (const auto& slice : random.devices.slices) state.upsert_resource_slice(slice);
  for (const auto& [earlier, node] : random.nodes) state.upsert_node(node, random.now);
  for (const auto& each : random.devices.classes) state.upsert_device_class(each);
  return state;
}

}  // namespace berth::test_support
