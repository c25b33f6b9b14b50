#include "test/support/builders.h"

#include <cstdio>
#include <cstdlib>

namespace berth::test_support {

model::Quantity quantity(std::string_view text) {
  const auto parsed = model::parse_quantity(text);
  if (!parsed) {
    std::fprintf(stderr, "%s\n", parsed.error().message.c_str());
    std::abort();
  }
  return *parsed;
}

NodeBuilder::NodeBuilder(std::string_view name) {
  node_.name = name;
  node_.uid = "uid-" + node_.name;
  pod_slots(110);
}
NodeBuilder& NodeBuilder::uid(std::string_view uid) {
  node_.uid = uid;
  return *this;
}
NodeBuilder& NodeBuilder::created(Time at) {
  node_.creation_time = at;
  return *this;
}
NodeBuilder& NodeBuilder::label(std::string_view key, std::string_view value) {
  node_.labels.set(key, value);
  return *this;
}
NodeBuilder& NodeBuilder::taint(std::string_view key, std::string_view value,
                                model::TaintEffect effect) {
  node_.taints.push_back({std::string(key), std::string(value), effect});
  return *this;
}
NodeBuilder& NodeBuilder::cordoned() {
  node_.unschedulable = true;
  return *this;
}
NodeBuilder& NodeBuilder::has(std::string_view resource, std::string_view amount) {
  node_.allocatable.set(resource, quantity(amount));
  return capacity_only(resource, amount);
}
NodeBuilder& NodeBuilder::capacity_only(std::string_view resource, std::string_view amount) {
  node_.capacity.set(resource, quantity(amount));
  return *this;
}

PodBuilder::PodBuilder(std::string_view name) {
  pod_.namespace_name = "default";
  pod_.name = name;
  pod_.uid = "uid-" + pod_.name;
  pod_.containers.emplace_back().name = "main";
}
PodBuilder& PodBuilder::uid(std::string_view uid) {
  pod_.uid = uid;
  return *this;
}
PodBuilder& PodBuilder::on(std::string_view node_name) {
  pod_.node_name = node_name;
  return *this;
}
PodBuilder& PodBuilder::phase(model::PodPhase phase) {
  pod_.phase = phase;
  return *this;
}
PodBuilder& PodBuilder::terminating() {
  pod_.terminating = true;
  return *this;
}
PodBuilder& PodBuilder::annotation(std::string_view key, std::string_view value) {
  pod_.annotations.set(key, value);
  return *this;
}
PodBuilder& PodBuilder::requests(std::string_view resource, std::string_view amount) {
  pod_.containers[0].requests.set(resource, quantity(amount));
  return *this;
}
PodBuilder& PodBuilder::select(std::string_view key, std::string_view value) {
  pod_.node_selector.set(key, value);
  return *this;
}
PodBuilder& PodBuilder::require(model::NodeSelectorTerm term) {
  if (!pod_.required_affinity) pod_.required_affinity.emplace();
  pod_.required_affinity->terms.push_back(std::move(term));
  return *this;
}
PodBuilder& PodBuilder::prefer(std::int64_t weight, model::NodeSelectorTerm term) {
  pod_.preferred_affinity.push_back({weight, std::move(term)});
  return *this;
}
PodBuilder& PodBuilder::tolerate(model::Toleration toleration) {
  pod_.tolerations.push_back(std::move(toleration));
  return *this;
}
PodBuilder& PodBuilder::invalid_request(std::string_view what) {
  pod_.invalid_requests.emplace_back(what);
  return *this;
}

model::DeviceClass device_class(std::string_view name, std::string_view resource,
                                std::string_view driver) {
  model::DeviceClass result;
  result.name = name;
  result.uid = "uid-" + result.name;
  result.extended_resource_name = resource;
  result.selectors = {"device.driver == '" + std::string(driver) + "'"};
  return result;
}

SliceBuilder::SliceBuilder(std::string_view pool, int devices) {
  slice_.name = std::string(pool) + "-slice";
  slice_.uid = "uid-" + slice_.name;
  slice_.driver = "gpu.nvidia.com";
  slice_.pool = pool;
  slice_.pool_generation = 1;
  slice_.pool_slices = 1;
  slice_.node_name = pool;
  for (int i = 0; i < devices; ++i) device("gpu-" + std::to_string(i));
}
SliceBuilder& SliceBuilder::name(std::string_view name) {
  slice_.name = name;
  slice_.uid = "uid-" + slice_.name;
  return *this;
}
SliceBuilder& SliceBuilder::driver(std::string_view driver) {
  slice_.driver = driver;
  return *this;
}
SliceBuilder& SliceBuilder::generation(std::int64_t generation) {
  slice_.pool_generation = generation;
  return *this;
}
SliceBuilder& SliceBuilder::of(std::int64_t slices) {
  slice_.pool_slices = slices;
  return *this;
}
SliceBuilder& SliceBuilder::on(std::string_view node_name) {
  slice_.node_name = node_name;
  return *this;
}
SliceBuilder& SliceBuilder::device(std::string_view name, std::string_view node_name, bool whole) {
  slice_.devices.push_back({std::string(name), std::string(node_name), whole});
  return *this;
}

model::ResourceClaim claim(std::string_view name, std::string_view pool,
                           const std::vector<std::string>& devices, std::string_view driver) {
  model::ResourceClaim result;
  result.namespace_name = "default";
  result.name = name;
  result.uid = "uid-" + result.name;
  for (const auto& device : devices) {
    result.allocated.push_back({std::string(driver), std::string(pool), device});
  }
  return result;
}

model::NodeSelectorRequirement requirement(std::string_view key, model::NodeSelectorOperator op,
                                           std::vector<std::string> values) {
  return {std::string(key), op, std::move(values)};
}
model::NodeSelectorTerm term(std::string_view key, model::NodeSelectorOperator op,
                             std::vector<std::string> values) {
  model::NodeSelectorTerm result;
  result.match_expressions.push_back(requirement(key, op, std::move(values)));
  return result;
}

}  // namespace berth::test_support
