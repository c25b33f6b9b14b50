/// What a pod says about other pods: host ports, pod affinity and anti-affinity, topology spread.
///
/// Source: k8s.io/api core/v1; apimachinery pkg/apis/meta/v1 LabelSelectorAsSelector;
/// kube-scheduler framework/types.go (AffinityTerm, HostPortInfo).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/model/labels.h"
#include "berth/model/selector.h"

namespace berth::model {

/// A port that a container wants of its node.
struct HostPort {
  std::string ip;                ///< empty: 0.0.0.0, all addresses
  std::string protocol = "TCP";  ///< "TCP", "UDP", "SCTP"
  std::int32_t port = 0;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};
/// Whether two pods with these ports exclude each other on one node: same port and protocol, and
/// the same address or either means all of them.
[[nodiscard]] bool conflict(const HostPort& a, const HostPort& b);

/// metav1.LabelSelector. All of it must hold; an empty selector matches everything, a missing one
/// nothing.
struct LabelSelector {
  Labels match_labels;
  std::vector<NodeSelectorRequirement> match_expressions;  ///< In, NotIn, Exists, DoesNotExist
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};
/// Whether kube-scheduler can parse it; what it cannot parse matches nothing.
[[nodiscard]] bool can_match(const LabelSelector& selector);
/// False for one that cannot be parsed.
[[nodiscard]] bool matches(const LabelSelector& selector, const Labels& labels);

struct PodAffinityTerm {
  std::optional<LabelSelector> selector;
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;
  std::string topology_key;
  std::vector<std::string> match_label_keys;
  std::vector<std::string> mismatch_label_keys;
  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

struct TopologySpreadConstraint {
  std::int64_t max_skew = 1;
  std::string topology_key;
  bool hard = true;  ///< whenUnsatisfiable: DoNotSchedule
  std::optional<LabelSelector> selector;
  std::optional<std::int64_t> min_domains;
  bool honor_node_affinity = true;  ///< nodeAffinityPolicy: Honor, which is the default
  bool honor_node_taints = false;   ///< nodeTaintsPolicy: Ignore is the default
  std::vector<std::string> match_label_keys;
  friend bool operator==(const TopologySpreadConstraint&,
                         const TopologySpreadConstraint&) = default;
};

}  // namespace berth::model
