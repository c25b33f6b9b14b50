/// Taints of nodes and the tolerations of pods.
///
/// Source of the rules: k8s.io/api core/v1 toleration.go, in-tree TaintToleration.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::model {

enum class TaintEffect { kNoSchedule, kPreferNoSchedule, kNoExecute, kUnknown };
[[nodiscard]] TaintEffect parse_taint_effect(std::string_view text);

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::kUnknown;
  friend bool operator==(const Taint&, const Taint&) = default;
  friend auto operator<=>(const Taint&, const Taint&) = default;
};

/// kUnknown (also Lt and Gt, whose gate is off by default) tolerates nothing.
enum class TolerationOperator { kEqual, kExists, kUnknown };
[[nodiscard]] TolerationOperator parse_toleration_operator(std::string_view text);  ///< "" is Equal

struct Toleration {
  std::string key;  ///< empty: any key
  TolerationOperator op = TolerationOperator::kEqual;
  std::string value;
  std::string effect;  ///< as written; empty: any effect
  friend bool operator==(const Toleration&, const Toleration&) = default;
};

[[nodiscard]] bool tolerates(const Toleration& toleration, const Taint& taint);
/// The first NoSchedule or NoExecute taint that no toleration covers, or null. The result points
/// into `taints`.
[[nodiscard]] const Taint* first_untolerated(std::span<const Taint> taints,
                                             std::span<const Toleration> tolerations);
/// Whether the pod may go on a cordoned node: it tolerates node.kubernetes.io/unschedulable.
[[nodiscard]] bool tolerates_cordon(std::span<const Toleration> tolerations);

}  // namespace berth::model
