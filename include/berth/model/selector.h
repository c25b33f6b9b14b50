/// Node selectors: nodeSelector, required and preferred node affinity, and the GPU label rule.
///
/// Source of the rules: component-helpers scheduling/corev1/nodeaffinity, apimachinery pkg/labels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/labels.h"

namespace berth::model {

enum class NodeSelectorOperator { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt, kUnknown };
[[nodiscard]] NodeSelectorOperator parse_node_selector_operator(std::string_view text);
[[nodiscard]] std::string_view to_string(NodeSelectorOperator op);

struct NodeSelectorRequirement {
  std::string key;
  NodeSelectorOperator op = NodeSelectorOperator::kUnknown;
  std::vector<std::string> values;
  friend bool operator==(const NodeSelectorRequirement&, const NodeSelectorRequirement&) = default;
};

struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions;
  std::vector<NodeSelectorRequirement> match_fields;
  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// Terms are alternatives; no terms match nothing.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;
  friend bool operator==(const NodeSelector&, const NodeSelector&) = default;
};

struct PreferredSchedulingTerm {
  std::int64_t weight = 0;
  NodeSelectorTerm preference;
  friend bool operator==(const PreferredSchedulingTerm&, const PreferredSchedulingTerm&) = default;
};

/// Whether kube-scheduler can parse it: operator known, key a qualified name, values valid label
/// values in the number the operator wants, integers for Gt and Lt. Error names key and value.
[[nodiscard]] Status validate(const NodeSelectorRequirement& requirement);
/// The same for matchFields: only In and NotIn with exactly one value.
[[nodiscard]] Status validate_field(const NodeSelectorRequirement& requirement);

/// Whether every requirement of the term is valid and the term is not empty. Any other term
/// matches nothing, without making its siblings fail.
[[nodiscard]] bool can_match(const NodeSelectorTerm& term);

/// REQUIRES: validate(requirement).has_value(). A missing label satisfies NotIn and DoesNotExist
/// alone; Gt and Lt compare int64 and are false for anything that is not one.
[[nodiscard]] bool matches(const NodeSelectorRequirement& requirement, const Labels& labels);
/// REQUIRES: validate_field(requirement).has_value(). Any field but metadata.name is empty.
[[nodiscard]] bool matches_field(const NodeSelectorRequirement& requirement,
                                 std::string_view node_name);

/// All expressions and fields hold; false for an empty or invalid term.
[[nodiscard]] bool matches(const NodeSelectorTerm& term, const Labels& labels,
                           std::string_view node_name);
/// Any term holds.
[[nodiscard]] bool matches(const NodeSelector& selector, const Labels& labels,
                           std::string_view node_name);
/// Every pair of `node_selector` is a label with exactly that value (never validated).
[[nodiscard]] bool matches(const Labels& node_selector, const Labels& labels);

/// Sum of the weights of the matching terms, saturating; terms with weight 0, empty and invalid
/// terms add nothing.
[[nodiscard]] std::int64_t preferred_weight(std::span<const PreferredSchedulingTerm> preferred,
                                            const Labels& labels, std::string_view node_name);

/// The integer that Gt and Lt compare: base 10, optional sign, int64. False if `text` is none.
[[nodiscard]] bool parse_label_integer(std::string_view text, std::int64_t& value);

}  // namespace berth::model
