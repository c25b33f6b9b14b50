#include "test/bench/map_twin.h"

#include <algorithm>

#include "berth/placement/score.h"

namespace berth::bench {
namespace {

std::int64_t get(const std::unordered_map<std::string, std::int64_t>& map, const std::string& key) {
  const auto at = map.find(key);
  return at == map.end() ? 0 : at->second;
}

}  // namespace

MapTwin::MapTwin(const cluster::Snapshot& snapshot) {
  const cluster::Topology& topology = snapshot.topology();
  for (Row row; row.index < topology.rows(); ++row.index) {
    const model::Node& node = topology.node(row);
    NodeInfo& info = nodes_[node.name];
    info.unschedulable = node.unschedulable;
    info.tainted = model::first_untolerated(node.taints, {}) != nullptr;
    for (const auto& [key, value] : node.labels) info.labels[std::string(key)] = value;
    for (const auto& [name, quantity] : node.allocatable) {
      info.allocatable[name] = model::to_units(name, quantity).count();
    }
    if (const auto* held = snapshot.held(node.name)) {
      for (const auto& [name, units] : *held) info.used[name] = units;
    }
  }
}

const char* MapTwin::why_not(const NodeInfo& node, const Requests& requests) {
  if (node.unschedulable) return "node(s) were unschedulable";
  if (node.tainted) return "node(s) had untolerated taint(s)";
  for (const auto& [name, units] : requests) {
    if (units > get(node.allocatable, name) - get(node.used, name)) return "Insufficient resources";
  }
  return nullptr;
}

float MapTwin::score(const NodeInfo& node, const Requests& requests) {
  float sum = 0;
  float total = 0;
  for (const auto& [name, units] : requests) {
    if (name == "pods") continue;
    const std::int64_t allocatable = get(node.allocatable, name);
    if (allocatable == 0) continue;
    const float weight = name == "nvidia.com/gpu" ? 5.0F : 1.0F;
    const auto used = static_cast<float>(get(node.used, name) + units);
    sum += weight * std::min(1.0F, used / static_cast<float>(allocatable));
    total += weight;
  }
  const auto label = node.labels.find("gpu");
  const bool ready = label != node.labels.end() && label->second == "true";
  const float tier = ready ? 3.0F : 1.0F;  // every node of the benchmark is old
  return placement::kTierDistance * tier + (total > 0 ? sum / total : 0.0F);
}

MapTwin::Decision MapTwin::decide(const model::Pod& pod,
                                  const std::vector<std::string>& names) const {
  Requests requests;
  for (const auto& [name, quantity] : model::effective_request(pod, model::RequestBasis::kSpec)) {
    requests.emplace_back(name, model::to_units(name, quantity).count());
  }
  requests.emplace_back("pods", 1);

  Decision decision;
  for (const auto& name : names) {
    const auto at = nodes_.find(name);
    if (at == nodes_.end()) {
      decision.failed[name] = "unknown";
    } else if (const char* reason = why_not(at->second, requests)) {
      decision.failed[name] = reason;
    } else {
      decision.scores[name] = score(at->second, requests);
    }
  }
  return decision;
}

}  // namespace berth::bench
