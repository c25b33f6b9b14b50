/// Why a pod does not run: every reason on every node, what would have to change, and what
/// kube-scheduler and an autoscaler say about it. Pure functions; the rules are those of filter()
/// and check_pods(), nothing is judged a second way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/cluster/picture.h"
#include "berth/model/pod.h"
#include "berth/model/readiness.h"
#include "berth/placement/fix.h"
#include "berth/placement/policy.h"

namespace berth::placement {

/// Stable: documents and other people's scripts hold on to the words of to_string().
enum class ReasonCode : std::uint8_t {
  kInvalidRequest,           ///< InvalidRequest: a quantity of the pod cannot be read
  kNodeUnschedulable,        ///< NodeUnschedulable: cordoned
  kNodeName,                 ///< NodeName
  kUntoleratedTaint,         ///< UntoleratedTaint
  kNodeAffinity,             ///< NodeAffinity: nodeSelector or required node affinity
  kHostPort,                 ///< HostPort
  kTooManyPods,              ///< TooManyPods
  kInsufficientResource,     ///< InsufficientResource
  kTopologySpreadLabel,      ///< TopologySpreadLabel: the node lacks a topology key
  kTopologySpread,           ///< TopologySpread
  kPodAffinity,              ///< PodAffinity
  kPodAntiAffinity,          ///< PodAntiAffinity
  kExistingPodAntiAffinity,  ///< ExistingPodAntiAffinity
  kReconfiguring,            ///< GPUReconfiguring
  kLabelPending,             ///< GPULabelPending
  kLabelRule,                ///< GPULabelRule
};
[[nodiscard]] std::string_view to_string(ReasonCode code);

enum class RefusedBy : std::uint8_t { kInTree, kBerth, kBoth };
[[nodiscard]] std::string_view to_string(RefusedBy by);  ///< "in-tree", "berth", "both"

/// In the units of model::to_units(): thousandths of cpu, whole units of everything else.
struct ResourceNumbers {
  std::string resource;
  std::int64_t asked = 0;
  std::int64_t free = 0;  ///< signed
  std::int64_t allocatable = 0;
  std::int64_t held_running = 0;      ///< by pods that run
  std::int64_t held_starting = 0;     ///< by pods that are bound and do not run yet
  std::int64_t held_terminating = 0;  ///< by pods that are being deleted: this comes back
  std::int64_t held_expected = 0;     ///< by placements that berth expects; not part of free
};

struct Reason {
  ReasonCode code = ReasonCode::kInvalidRequest;
  std::string text;    ///< kube-scheduler's sentence, or berth's (docs/protocol.md)
  std::string detail;  ///< what exactly: the taint, the expression, the missing key; may be empty
  RefusedBy by = RefusedBy::kBoth;
  bool resolvable = false;  ///< could evicting pods cure it?
  std::optional<ResourceNumbers> numbers;
};

struct NodeExplanation {
  Row row;
  std::string name;
  bool fits = false;
  model::Readiness readiness = model::Readiness::kNotGpu;
  std::optional<Time> since;  ///< when the grace clock started; empty: long ago
  /// 0 for a node that fits. Else the sum over its reasons of: for a resource, the part of what is
  /// asked that is missing, in (0, 1]; 1 for a reason that a change of labels, taints or time can
  /// cure; 2 for a resource of which even the empty node has too little.
  double distance = 0;
  std::vector<Reason> reasons;  ///< kube-scheduler's in its plugins' order, then berth's
};

enum class Autoscaling : std::uint8_t {
  kNotNeeded,     ///< some node takes the pod
  kSeesThePod,    ///< no node passes the in-tree checks: an autoscaler sees it as unschedulable
  kBlind,         ///< some node passes every in-tree check, only berth refuses: nothing scales up
  kNotScheduled,  ///< scheduling gates hold the pod back, nobody looks at it
};
[[nodiscard]] std::string_view to_string(Autoscaling autoscaling);

struct Explanation {
  model::Pod pod;
  bool gpu_pod = false;
  AffinityMode affinity_mode = AffinityMode::kSoft;
  std::size_t fitting = 0;             ///< nodes that take the pod
  std::vector<NodeExplanation> nodes;  ///< nearest first, then in berth's node order
  /// What kube-scheduler would write in FailedScheduling, of the same nodes; empty when it would
  /// place the pod.
  std::string event;
  Autoscaling autoscaling = Autoscaling::kNotNeeded;
  std::vector<std::string> not_judged;  ///< see model::Pod::not_judged
  std::vector<Fix> fixes;               ///< cheapest first
};

struct ExplainOptions {
  bool fixes = true;
  std::size_t most_fixes = 12;
};

/// Judges the pod on every node of the picture. If the picture holds the pod itself on a node, its
/// room there counts as free (it would move). Cost: some milliseconds at 5,000 nodes.
[[nodiscard]] Explanation explain(const model::Pod& pod, const Policy& policy,
                                  const cluster::Picture& picture, Time now,
                                  const ExplainOptions& options = {});

/// The rows of the picture that take the pod: every in-tree check and berth's. What explain() and
/// each fix is proved with. Cost: that of filter() and check_pods().
struct Acceptance {
  RowSet in_tree;  ///< rows that pass every in-tree check
  RowSet fitting;  ///< rows that also pass berth's
};
[[nodiscard]] Acceptance accept(const model::Pod& pod, const Policy& policy,
                                const cluster::Picture& picture, Time now);

}  // namespace berth::placement
