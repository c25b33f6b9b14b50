/// A fix: a change to the pod, the node or the cluster which, evaluated against the same picture,
/// lets the pod run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/pod.h"

namespace berth::placement {

// ---- changes to the pod; each can be written as a JSON Patch

/// The GPU label rule's expressions leave nodeSelector and required node affinity; what they said
/// is preferred from then on with weight kPreferredWeight: one preferred term per term that had
/// some, then one for the keys of nodeSelector, appended in that order. A term that would be left
/// with nothing means that nothing is required: the whole requirement goes. The annotation that
/// sets the affinity mode says soft.
inline constexpr std::int64_t kPreferredWeight = 80;
struct PreferLabelRule {
  /// In required_affinity.terms[term].match_expressions[expression].
  struct Place {
    std::size_t term = 0;
    std::size_t expression = 0;
  };
  std::vector<Place> expressions;          ///< ascending
  std::vector<std::string> selector_keys;  ///< of nodeSelector
  std::string soft_annotation;             ///< its key; empty: the annotation stays as it is
};
struct DropNodeSelector {
  std::string key;
};
/// One expression of required node affinity goes. A term that would be left with nothing, which
/// would match no node, means that nothing is required: the whole requirement goes.
struct DropAffinityExpression {
  std::size_t term = 0;
  std::size_t expression = 0;
};
struct AddToleration {
  model::Toleration toleration;
};
/// One container, or the pod as a whole, asks for less.
struct LowerRequest {
  enum class Place : std::uint8_t { kContainer, kInitContainer, kPodLevel };
  struct Amount {
    Place place = Place::kContainer;
    std::size_t index = 0;
    std::string resource;
    model::Quantity from;
    model::Quantity to;
    bool limit_too = false;  ///< the limit is the same and must stay so
  };
  std::vector<Amount> amounts;
};
struct DropTopologySpread {
  std::size_t constraint = 0;  ///< becomes ScheduleAnyway
};
struct DropPodAntiAffinity {
  std::size_t term = 0;
};
struct DropPodAffinity {
  std::size_t term = 0;
};

// ---- changes to a node or the cluster; each can be written as a command, or happens by itself

/// The label or the GPUs come, as they usually do.
struct Wait {
  std::string node_name;
  bool for_label = true;  ///< else for GPUs
  std::optional<Duration>
      usually;  ///< how long it takes on this cluster (median); empty: not known
  std::optional<Duration> so_far;
};
struct LabelNode {
  std::string node_name;
  std::string key;
  std::string value;
};
struct UncordonNode {
  std::string node_name;
};
struct UntaintNode {
  std::string node_name;
  model::Taint taint;
};
/// One more node, empty, of the same labels, taints and size.
struct AddNode {
  std::string like;
};
struct EvictPods {
  std::string node_name;
  std::vector<std::string> pods;  ///< "namespace/name", of lower priority than the pod
  bool by_itself = false;         ///< kube-scheduler would preempt them
};

using Change =
    std::variant<Wait, PreferLabelRule, DropNodeSelector, DropAffinityExpression, AddToleration,
                 LowerRequest, DropTopologySpread, DropPodAffinity, DropPodAntiAffinity, LabelNode,
                 UncordonNode, UntaintNode, AddNode, EvictPods>;
/// "wait", "prefer-label-rule", "drop-node-selector", "drop-affinity-expression", "add-toleration",
/// "lower-request", ...: stable words.
[[nodiscard]] std::string_view kind_of(const Change& change);
[[nodiscard]] bool changes_pod(const Change& change);

/// The pod after a change to it. REQUIRES: changes_pod(change), made for this pod.
[[nodiscard]] model::Pod apply(const Change& change, model::Pod pod);

struct Fix {
  std::vector<Change> changes;     ///< one; two only when no single one helps
  std::vector<std::string> nodes;  ///< where the pod would then fit, in berth's order
  double cost = 0;                 ///< see docs/explain.md
};

}  // namespace berth::placement
