/// Nodes and pods in a line each: node("n1").gpus(8).cpu("64").label("gpu", "true").
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "berth/model/devices.h"
#include "berth/model/node.h"
#include "berth/model/pod.h"

namespace berth::test_support {

/// REQUIRES: a valid quantity; aborts otherwise.
[[nodiscard]] model::Quantity quantity(std::string_view text);

/// Converts to the model::Node that it describes. A new one has 110 pod slots and uid = "uid-NAME".
class NodeBuilder {
 public:
  explicit NodeBuilder(std::string_view name);

  NodeBuilder& uid(std::string_view uid);
  NodeBuilder& created(Time at);
  NodeBuilder& label(std::string_view key, std::string_view value);
  NodeBuilder& taint(std::string_view key, std::string_view value,
                     model::TaintEffect effect = model::TaintEffect::kNoSchedule);
  NodeBuilder& cordoned();
  /// Capacity and allocatable.
  NodeBuilder& has(std::string_view resource, std::string_view amount);
  NodeBuilder& capacity_only(std::string_view resource, std::string_view amount);
  NodeBuilder& gpus(int count) { return has("nvidia.com/gpu", std::to_string(count)); }
  NodeBuilder& cpu(std::string_view amount) { return has(model::kCpu, amount); }
  NodeBuilder& memory(std::string_view amount) { return has(model::kMemory, amount); }
  NodeBuilder& pod_slots(int count) { return has(model::kPods, std::to_string(count)); }

  [[nodiscard]] model::Node build() const { return node_; }
  operator model::Node() const { return node_; }  // NOLINT(google-explicit-constructor)

 private:
  model::Node node_;
};
[[nodiscard]] inline NodeBuilder node(std::string_view name) { return NodeBuilder(name); }

/// Converts to the model::Pod that it describes: one container, uid = "uid-NAME".
class PodBuilder {
 public:
  explicit PodBuilder(std::string_view name);

  PodBuilder& uid(std::string_view uid);
  PodBuilder& on(std::string_view node_name);
  PodBuilder& phase(model::PodPhase phase);
  PodBuilder& terminating();
  PodBuilder& annotation(std::string_view key, std::string_view value);
  PodBuilder& requests(std::string_view resource, std::string_view amount);
  PodBuilder& gpus(int count) { return requests("nvidia.com/gpu", std::to_string(count)); }
  PodBuilder& cpu(std::string_view amount) { return requests(model::kCpu, amount); }
  PodBuilder& memory(std::string_view amount) { return requests(model::kMemory, amount); }
  PodBuilder& select(std::string_view key, std::string_view value);
  /// One more alternative of the required affinity.
  PodBuilder& require(model::NodeSelectorTerm term);
  PodBuilder& prefer(std::int64_t weight, model::NodeSelectorTerm term);
  PodBuilder& tolerate(model::Toleration toleration);
  PodBuilder& invalid_request(std::string_view what);

  [[nodiscard]] model::Pod build() const { return pod_; }
  operator model::Pod() const { return pod_; }  // NOLINT(google-explicit-constructor)

 private:
  model::Pod pod_;
};
[[nodiscard]] inline PodBuilder pod(std::string_view name) { return PodBuilder(name); }

/// A class of one selector, `device.driver == 'DRIVER'`.
[[nodiscard]] model::DeviceClass device_class(std::string_view name, std::string_view resource,
                                              std::string_view driver = "gpu.nvidia.com");
/// Converts to the model::ResourceSlice that it describes: the only one of the first generation of
/// pool "POOL", whose devices gpu-0, gpu-1, ... are on the node of the pool's name.
class SliceBuilder {
 public:
  SliceBuilder(std::string_view pool, int devices);

  SliceBuilder& name(std::string_view name);
  SliceBuilder& driver(std::string_view driver);
  SliceBuilder& generation(std::int64_t generation);
  SliceBuilder& of(std::int64_t slices);  ///< spec.pool.resourceSliceCount
  SliceBuilder& on(std::string_view node_name);
  SliceBuilder& device(std::string_view name, std::string_view node_name = {}, bool whole = true);

  [[nodiscard]] model::ResourceSlice build() const { return slice_; }
  operator model::ResourceSlice() const { return slice_; }  // NOLINT(google-explicit-constructor)

 private:
  model::ResourceSlice slice_;
};
[[nodiscard]] inline SliceBuilder slice(std::string_view pool, int devices) {
  return {pool, devices};
}
/// A claim to which these devices of one pool are allocated, uid = "uid-NAME".
[[nodiscard]] model::ResourceClaim claim(std::string_view name, std::string_view pool,
                                         const std::vector<std::string>& devices,
                                         std::string_view driver = "gpu.nvidia.com");

[[nodiscard]] model::NodeSelectorRequirement requirement(std::string_view key,
                                                         model::NodeSelectorOperator op,
                                                         std::vector<std::string> values = {});
/// A term of one expression.
[[nodiscard]] model::NodeSelectorTerm term(std::string_view key, model::NodeSelectorOperator op,
                                           std::vector<std::string> values = {});

/// Some moment to count from.
inline constexpr Time kNoon =
    Time(std::chrono::sys_days(std::chrono::year(2026) / 11 / 30) + std::chrono::hours(12));

}  // namespace berth::test_support
