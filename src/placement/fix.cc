#include "berth/placement/fix.h"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::placement {
namespace {

/// One of several overloads as one visitor.
template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

void erase_at(auto& list, std::size_t index) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
}

bool is_empty(const model::NodeSelectorTerm& term) {
  return term.match_expressions.empty() && term.match_fields.empty();
}

/// A term without anything would match no node; what was meant is that nothing is required.
void drop_requirement_if_void(model::Pod& pod) {
  if (!pod.required_affinity) return;
  const auto& terms = pod.required_affinity->terms;
  if (std::any_of(terms.begin(), terms.end(), is_empty)) pod.required_affinity.reset();
}

model::Labels without_keys(const model::Labels& labels, const std::vector<std::string>& keys) {
  std::vector<model::Labels::Entry> kept;
  for (const auto& [key, value] : labels) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) kept.emplace_back(key, value);
  }
  return model::Labels(std::move(kept));
}

/// The expressions of one term that move, in their order.
std::vector<std::size_t> places_in_term(const PreferLabelRule& change, std::size_t term) {
  std::vector<std::size_t> places;
  for (const auto& place : change.expressions) {
    if (place.term == term) places.push_back(place.expression);
  }
  return places;
}

void move_expressions(const PreferLabelRule& change, model::Pod& pod) {
  if (!pod.required_affinity) return;
  auto& terms = pod.required_affinity->terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto places = places_in_term(change, i);
    if (places.empty()) continue;
    model::PreferredSchedulingTerm preferred{kPreferredWeight, {}};
    auto& expressions = terms[i].match_expressions;
    for (const std::size_t place : places) {
      preferred.preference.match_expressions.push_back(expressions[place]);
    }
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
      erase_at(expressions, *place);
    }
    pod.preferred_affinity.push_back(std::move(preferred));
  }
  drop_requirement_if_void(pod);
}

void move_selector(const PreferLabelRule& change, model::Pod& pod) {
  if (change.selector_keys.empty()) return;
  model::PreferredSchedulingTerm preferred{kPreferredWeight, {}};
  for (const std::string& key : change.selector_keys) {
    const auto value = pod.node_selector.find(key);
    preferred.preference.match_expressions.push_back(
        {key, model::NodeSelectorOperator::kIn, {std::string(value.value_or(""))}});
  }
  pod.preferred_affinity.push_back(std::move(preferred));
  pod.node_selector = without_keys(pod.node_selector, change.selector_keys);
}

void prefer_label_rule(const PreferLabelRule& change, model::Pod& pod) {
  move_expressions(change, pod);
  move_selector(change, pod);
  if (!change.soft_annotation.empty()) pod.annotations.set(change.soft_annotation, "soft");
}

void drop_expression(const DropAffinityExpression& change, model::Pod& pod) {
  erase_at(pod.required_affinity->terms[change.term].match_expressions, change.expression);
  drop_requirement_if_void(pod);
}

void lower(const LowerRequest::Amount& amount, model::Pod& pod) {
  if (amount.place == LowerRequest::Place::kPodLevel) {
    if (!pod.pod_level_requests) pod.pod_level_requests.emplace();
    pod.pod_level_requests->set(amount.resource, amount.to);
    return;
  }
  auto& containers =
      amount.place == LowerRequest::Place::kContainer ? pod.containers : pod.init_containers;
  model::Container& container = containers[amount.index];
  container.requests.set(amount.resource, amount.to);
  if (amount.limit_too) container.limits.set(amount.resource, amount.to);
}

// By index of Change.
constexpr std::array<std::string_view, std::variant_size_v<Change>> kKinds = {
    "wait",
    "prefer-label-rule",
    "drop-node-selector",
    "drop-affinity-expression",
    "add-toleration",
    "lower-request",
    "drop-topology-spread",
    "drop-pod-affinity",
    "drop-pod-anti-affinity",
    "label-node",
    "uncordon-node",
    "untaint-node",
    "add-node",
    "evict-pods"};

}  // namespace

std::string_view kind_of(const Change& change) { return kKinds[change.index()]; }

bool changes_pod(const Change& change) {
  return std::visit(
      Overloaded{[](const Wait&) { return false; }, [](const LabelNode&) { return false; },
                 [](const UncordonNode&) { return false; },
                 [](const UntaintNode&) { return false; }, [](const AddNode&) { return false; },
                 [](const EvictPods&) { return false; }, [](const auto&) { return true; }},
      change);
}

model::Pod apply(const Change& change, model::Pod pod) {
  std::visit(
      Overloaded{
          [&pod](const PreferLabelRule& what) { prefer_label_rule(what, pod); },
          [&pod](const DropNodeSelector& what) {
            pod.node_selector = without_keys(pod.node_selector, {what.key});
          },
          [&pod](const DropAffinityExpression& what) { drop_expression(what, pod); },
          [&pod](const AddToleration& what) { pod.tolerations.push_back(what.toleration); },
          [&pod](const LowerRequest& what) {
            for (const auto& amount : what.amounts) lower(amount, pod);
          },
          [&pod](const DropTopologySpread& what) {
            pod.topology_spread[what.constraint].hard = false;
          },
          [&pod](const DropPodAffinity& what) { erase_at(pod.required_pod_affinity, what.term); },
          [&pod](const DropPodAntiAffinity& what) {
            erase_at(pod.required_pod_anti_affinity, what.term);
          },
          [](const auto&) {}},
      change);
  return pod;
}

}  // namespace berth::placement
