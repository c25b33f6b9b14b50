#include "berth/model/pod_rules.h"

#include <algorithm>
#include <string_view>

namespace berth::model {
namespace {

constexpr std::string_view kAllAddresses = "0.0.0.0";

bool on_all_addresses(const HostPort& port) { return port.ip.empty() || port.ip == kAllAddresses; }

/// A pair of match_labels as a requirement.
NodeSelectorRequirement requirement_of(const Labels::Entry& pair) {
  return {std::string(pair.first), NodeSelectorOperator::kIn, {std::string(pair.second)}};
}

/// Gt and Lt exist for nodes alone.
bool can_match(const NodeSelectorRequirement& requirement) {
  return requirement.op != NodeSelectorOperator::kGt &&
         requirement.op != NodeSelectorOperator::kLt && validate(requirement);
}

}  // namespace

bool conflict(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol &&
         (on_all_addresses(a) || on_all_addresses(b) || a.ip == b.ip);
}

bool can_match(const LabelSelector& selector) {
  return std::all_of(selector.match_labels.begin(), selector.match_labels.end(),
                     [](const auto& pair) { return can_match(requirement_of(pair)); }) &&
         std::all_of(selector.match_expressions.begin(), selector.match_expressions.end(),
                     [](const auto& requirement) { return can_match(requirement); });
}

bool matches(const LabelSelector& selector, const Labels& labels) {
  return can_match(selector) && matches(selector.match_labels, labels) &&
         std::all_of(selector.match_expressions.begin(), selector.match_expressions.end(),
                     [&labels](const auto& requirement) { return matches(requirement, labels); });
}

}  // namespace berth::model
