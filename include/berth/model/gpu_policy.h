/// What marks a GPU resource, a GPU pod and a GPU node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/resources.h"
#include "berth/model/selector.h"

namespace berth::model {

/// Value type; the defaults are those of docs/configuration.md.
struct GpuPolicy {
  /// Names of GPU resources; `*` stands for any run of characters.
  std::vector<std::string> resources = {"nvidia.com/gpu", "nvidia.com/mig-*"};
  /// The GPU label rule: any of these marks a GPU node.
  std::vector<NodeSelectorRequirement> label_rule = {
      {"gpu", NodeSelectorOperator::kIn, {"true"}},
      {"nvidia.com/gpu.present", NodeSelectorOperator::kIn, {"true"}}};
  std::string model_label = "nvidia.com/gpu.product";
  Duration grace = std::chrono::minutes(10);
  friend bool operator==(const GpuPolicy&, const GpuPolicy&) = default;
};

/// Whether `text` as a whole is what `pattern` describes; `*` stands for any run of characters,
/// also an empty one.
[[nodiscard]] bool matches_pattern(std::string_view pattern, std::string_view text);
[[nodiscard]] bool is_gpu_resource(const GpuPolicy& policy, std::string_view resource);
/// Total of the GPU resources in the list, in devices, saturating; negative ones count as zero.
[[nodiscard]] GpuCount gpus_of(const GpuPolicy& policy, const ResourceList& list);
/// Whether the labels satisfy any requirement of the rule; an empty rule is satisfied by every
/// node. REQUIRES: every requirement of the rule is valid.
[[nodiscard]] bool label_rule_holds(const GpuPolicy& policy, const Labels& labels);

}  // namespace berth::model
