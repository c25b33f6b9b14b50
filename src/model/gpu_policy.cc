#include "berth/model/gpu_policy.h"

#include <algorithm>

namespace berth::model {
namespace {

constexpr auto kNone = std::string_view::npos;

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  // Greedy, with one point to come back to: the last star, and how much of the text it has taken.
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = kNone;
  std::size_t star_end = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_end = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != kNone) {
      p = star + 1;
      t = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == kNone;
}

bool is_gpu_resource(const GpuPolicy& policy, std::string_view resource) {
  return std::any_of(
      policy.resources.begin(), policy.resources.end(),
      [&](const std::string& pattern) { return matches_pattern(pattern, resource); });
}

GpuCount gpus_of(const GpuPolicy& policy, const ResourceList& list) {
  GpuCount total;
  for (const auto& [name, quantity] : list) {
    if (!quantity.positive() || !is_gpu_resource(policy, name)) continue;
    total += GpuCount(quantity.value());
  }
  return total;
}

bool label_rule_holds(const GpuPolicy& policy, const Labels& labels) {
  if (policy.label_rule.empty()) return true;
  return std::any_of(
      policy.label_rule.begin(), policy.label_rule.end(),
      [&](const NodeSelectorRequirement& requirement) { return matches(requirement, labels); });
}

}  // namespace berth::model
