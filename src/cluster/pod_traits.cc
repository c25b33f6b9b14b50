#include "pod_traits.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "berth/model/resources.h"

namespace berth::cluster {
namespace {

bool asks_about(const model::LabelSelector& selector, std::string_view key) {
  return std::any_of(selector.match_expressions.begin(), selector.match_expressions.end(),
                     [key](const auto& requirement) { return requirement.key == key; });
}

/// A pod that an API server has seen has its keys merged already: it refuses selectors that had
/// them before.
void merge(model::LabelSelector& selector, const std::vector<std::string>& keys,
           model::NodeSelectorOperator op, const model::Labels& labels) {
  for (const auto& key : keys) {
    const auto value = labels.find(key);
    if (!value || asks_about(selector, key)) continue;
    selector.match_expressions.push_back({key, op, {std::string(*value)}});
  }
}

/// A term without a selector matches no pods and stays so.
model::PodAffinityTerm merged(model::PodAffinityTerm term, const model::Labels& labels) {
  if (term.selector) {
    merge(*term.selector, term.match_label_keys, model::NodeSelectorOperator::kIn, labels);
    merge(*term.selector, term.mismatch_label_keys, model::NodeSelectorOperator::kNotIn, labels);
  }
  term.match_label_keys.clear();
  term.mismatch_label_keys.clear();
  return term;
}

void add_host_ports(const model::Container& container, std::vector<model::HostPort>& ports) {
  for (const auto& port : container.host_ports) {
    if (port.port > 0) ports.push_back(port);
  }
}

Held requests_of(const model::Pod& pod) {
  Held requests = {{std::string(model::kPods), 1}};  // pod slots are counted, never requested
  for (const auto& [name, quantity] :
       model::effective_request(pod, model::RequestBasis::kSpecAndStatus)) {
    const std::int64_t units = model::to_units(name, quantity).count();
    if (units > 0 && name != model::kPods) requests.push_back({name, units});
  }
  std::sort(requests.begin(), requests.end(),
            [](const auto& a, const auto& b) { return a.resource < b.resource; });
  return requests;
}

}  // namespace

std::string identity_of(const model::Pod& pod) {
  return pod.uid.empty() ? pod.namespace_name + '/' + pod.name : pod.uid;
}

PodTraits traits_of(const model::Pod& pod) {
  PodTraits traits;
  traits.namespace_name = pod.namespace_name;
  traits.labels = pod.labels;
  traits.priority = pod.priority.value_or(0);
  for (const auto& container : pod.init_containers) {
    if (container.restartable) add_host_ports(container, traits.host_ports);
  }
  for (const auto& container : pod.containers) add_host_ports(container, traits.host_ports);
  for (const auto& term : pod.required_pod_anti_affinity) {
    traits.required_anti_affinity.push_back(merged(term, pod.labels));
  }
  traits.requests = requests_of(pod);
  return traits;
}

std::size_t PodTraitsHash::operator()(const PodTraits& traits) const {
  std::size_t hash = static_cast<std::uint32_t>(traits.priority);
  const auto mix = [&hash](std::size_t part) {
    hash = (hash ^ part) * 0x9fb21c651e98df25U;
    hash ^= hash >> 29U;
  };
  const std::hash<std::string_view> text;
  mix(text(traits.namespace_name));
  for (const auto& [key, value] : traits.labels) {
    mix(text(key));
    mix(text(value));
  }
  for (const auto& [resource, units] : traits.requests) {
    mix(text(resource));
    mix(static_cast<std::size_t>(units));
  }
  return hash;
}

}  // namespace berth::cluster
