#include "berth/model/selector.h"

#include <algorithm>
#include <charconv>

#include "berth/model/amount.h"
#include "quoted.h"

namespace berth::model {
namespace {

constexpr std::size_t kMaxLabelLength = 63;
constexpr std::size_t kMaxPrefixLength = 253;

constexpr bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
constexpr bool is_alphanumeric(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }
constexpr bool is_label_character(char c) {
  return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
}

/// 1..63 characters, alphanumeric at both ends, `-`, `_` and `.` between.
bool is_label_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabelLength && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back()) && std::all_of(text.begin(), text.end(), is_label_character);
}

bool is_label_value(std::string_view text) { return text.empty() || is_label_name(text); }

/// A part of a DNS name between dots: lower case, digits, `-` inside.
bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view text) {
  if (text.size() > kMaxPrefixLength) return false;
  for (;;) {
    const auto dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

/// `name` or `prefix/name`.
bool is_qualified_name(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return is_label_name(text);
  return is_dns_subdomain(text.substr(0, slash)) && is_label_name(text.substr(slash + 1));
}

bool is_label_integer(std::string_view text) {
  std::int64_t ignored = 0;
  return parse_label_integer(text, ignored);
}

/// What is wrong with the number or form of the values, or empty.
std::string_view value_fault(const NodeSelectorRequirement& requirement) {
  const auto& values = requirement.values;
  switch (requirement.op) {
    case NodeSelectorOperator::kIn:
    case NodeSelectorOperator::kNotIn:
      return values.empty() ? "In and NotIn want at least one value" : "";
    case NodeSelectorOperator::kExists:
    case NodeSelectorOperator::kDoesNotExist:
      return values.empty() ? "" : "Exists and DoesNotExist want no value";
    case NodeSelectorOperator::kGt:
    case NodeSelectorOperator::kLt:
      if (values.size() != 1) return "Gt and Lt want exactly one value";
      return is_label_integer(values.front()) ? "" : "Gt and Lt want an integer";
    case NodeSelectorOperator::kUnknown:
      return "unknown operator";
  }
  return "unknown operator";
}

Error invalid(const NodeSelectorRequirement& requirement, std::string_view why) {
  std::string message = "requirement " + quoted(requirement.key) + " ";
  message += to_string(requirement.op);
  if (!requirement.values.empty()) {
    message += " " + quoted(requirement.values.front());
    if (requirement.values.size() > 1) message += ", ...";
  }
  message += ": ";
  message += why;
  return Error{ErrorCode::kInvalidArgument, message};
}

bool contains(const std::vector<std::string>& values, std::string_view wanted) {
  return std::find(values.begin(), values.end(), wanted) != values.end();
}

/// Whether the label stands to the requirement's only value as Gt or Lt wants it.
bool compares(const NodeSelectorRequirement& requirement, std::string_view label) {
  std::int64_t left = 0;
  std::int64_t right = 0;
  if (requirement.values.size() != 1 || !parse_label_integer(label, left) ||
      !parse_label_integer(requirement.values.front(), right)) {
    return false;
  }
  return requirement.op == NodeSelectorOperator::kGt ? left > right : left < right;
}

}  // namespace

NodeSelectorOperator parse_node_selector_operator(std::string_view text) {
  for (const auto op : {NodeSelectorOperator::kIn, NodeSelectorOperator::kNotIn,
                        NodeSelectorOperator::kExists, NodeSelectorOperator::kDoesNotExist,
                        NodeSelectorOperator::kGt, NodeSelectorOperator::kLt}) {
    if (to_string(op) == text) return op;
  }
  return NodeSelectorOperator::kUnknown;
}

std::string_view to_string(NodeSelectorOperator op) {
  switch (op) {
    case NodeSelectorOperator::kIn:
      return "In";
    case NodeSelectorOperator::kNotIn:
      return "NotIn";
    case NodeSelectorOperator::kExists:
      return "Exists";
    case NodeSelectorOperator::kDoesNotExist:
      return "DoesNotExist";
    case NodeSelectorOperator::kGt:
      return "Gt";
    case NodeSelectorOperator::kLt:
      return "Lt";
    case NodeSelectorOperator::kUnknown:
      return "unknown";
  }
  return "unknown";
}

Status validate(const NodeSelectorRequirement& requirement) {
  if (!is_qualified_name(requirement.key)) {
    return invalid(requirement, "the key is not a valid label key");
  }
  if (const auto fault = value_fault(requirement); !fault.empty()) {
    return invalid(requirement, fault);
  }
  const auto bad = std::find_if_not(requirement.values.begin(), requirement.values.end(),
                                    [](const std::string& value) { return is_label_value(value); });
  if (bad != requirement.values.end()) {
    return invalid(requirement, quoted(*bad) + " is not a valid label value");
  }
  return ok();
}

Status validate_field(const NodeSelectorRequirement& requirement) {
  if (requirement.op != NodeSelectorOperator::kIn &&
      requirement.op != NodeSelectorOperator::kNotIn) {
    return invalid(requirement, "a field allows only In and NotIn");
  }
  if (requirement.values.size() != 1) {
    return invalid(requirement, "a field wants exactly one value");
  }
  return ok();
}

bool can_match(const NodeSelectorTerm& term) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  return std::all_of(term.match_expressions.begin(), term.match_expressions.end(),
                     [](const auto& requirement) { return validate(requirement).has_value(); }) &&
         std::all_of(
             term.match_fields.begin(), term.match_fields.end(),
             [](const auto& requirement) { return validate_field(requirement).has_value(); });
}

bool matches(const NodeSelectorRequirement& requirement, const Labels& labels) {
  const auto label = labels.find(requirement.key);
  switch (requirement.op) {
    case NodeSelectorOperator::kIn:
      return label.has_value() && contains(requirement.values, *label);
    case NodeSelectorOperator::kNotIn:
      return !label || !contains(requirement.values, *label);
    case NodeSelectorOperator::kExists:
      return label.has_value();
    case NodeSelectorOperator::kDoesNotExist:
      return !label;
    case NodeSelectorOperator::kGt:
    case NodeSelectorOperator::kLt:
      return label.has_value() && compares(requirement, *label);
    case NodeSelectorOperator::kUnknown:
      return false;
  }
  return false;
}

bool matches_field(const NodeSelectorRequirement& requirement, std::string_view node_name) {
  const std::string_view field = requirement.key == "metadata.name" ? node_name : "";
  const bool equal = contains(requirement.values, field);
  return requirement.op == NodeSelectorOperator::kIn ? equal : !equal;
}

bool matches(const NodeSelectorTerm& term, const Labels& labels, std::string_view node_name) {
  return can_match(term) &&
         std::all_of(term.match_expressions.begin(), term.match_expressions.end(),
                     [&](const auto& requirement) { return matches(requirement, labels); }) &&
         std::all_of(
             term.match_fields.begin(), term.match_fields.end(),
             [&](const auto& requirement) { return matches_field(requirement, node_name); });
}

bool matches(const NodeSelector& selector, const Labels& labels, std::string_view node_name) {
  return std::any_of(selector.terms.begin(), selector.terms.end(),
                     [&](const auto& term) { return matches(term, labels, node_name); });
}

bool matches(const Labels& node_selector, const Labels& labels) {
  return std::all_of(node_selector.begin(), node_selector.end(), [&](const Labels::Entry& wanted) {
    const auto label = labels.find(wanted.first);
    return label.has_value() && *label == wanted.second;
  });
}

std::int64_t preferred_weight(std::span<const PreferredSchedulingTerm> preferred,
                              const Labels& labels, std::string_view node_name) {
  Amount<struct WeightUnit> total;  // saturates: weights above 100 are no business of ours
  for (const PreferredSchedulingTerm& term : preferred) {
    if (term.weight != 0 && matches(term.preference, labels, node_name)) {
      total += Amount<struct WeightUnit>(term.weight);
    }
  }
  return total.count();
}

bool parse_label_integer(std::string_view text, std::int64_t& value) {
  // from_chars takes a minus but no plus.
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 10);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace berth::model
