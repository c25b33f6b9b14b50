#include "test/support/naive_twin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "berth/cluster/name_index.h"
#include "berth/placement/answer.h"
#include "berth/placement/score.h"
#include "test/support/naive_devices.h"

namespace berth::test_support {
namespace {

using model::Readiness;
using placement::Stage;

std::int64_t clamp_to_int64(model::Int128 value) {
  if (value > INT64_MAX) return INT64_MAX;
  if (value < INT64_MIN) return INT64_MIN;
  return static_cast<std::int64_t>(value);
}

template <typename Map>
auto get(const Map& map, const std::string& key) -> typename Map::mapped_type {
  const auto at = map.find(key);
  return at == map.end() ? typename Map::mapped_type{} : at->second;
}

/// What the pod asks for, in units, without what it does not ask for.
std::map<std::string, std::int64_t> requests_of(const model::Pod& pod, model::RequestBasis basis) {
  std::map<std::string, std::int64_t> requests;
  for (const auto& [name, quantity] : model::effective_request(pod, basis)) {
    const std::int64_t units = model::to_units(name, quantity).count();
    if (units > 0 && name != "pods") requests[name] = units;
  }
  requests["pods"] = 1;
  return requests;
}

std::string reason_of(const std::string& resource) {
  if (resource == "pods") return "Too many pods";
  std::string reason = "Insufficient " + resource;
  std::replace(reason.begin(), reason.end(), '%', '_');
  return reason;
}

TwinVerdict refuse(Stage stage) {
  return {false, stage, std::string(placement::reason_text(stage)), false};
}

bool matches_affinity(const model::Pod& pod, const model::Node& node) {
  if (!model::matches(pod.node_selector, node.labels)) return false;
  return !pod.required_affinity || model::matches(*pod.required_affinity, node.labels, node.name);
}

std::int64_t preferred_sum(const model::Pod& pod, const model::Node& node) {
  std::int64_t sum = 0;
  for (const auto& [weight, term] : pod.preferred_affinity) {
    if (weight > 0 && model::matches(term, node.labels, node.name)) {
      sum += std::min<std::int64_t>(weight, 100);
    }
  }
  return sum;
}

}  // namespace

NaiveTwin::NaiveTwin(const RandomCase& random) : policy_(random.policy), now_(random.now) {
  for (const auto& [earlier, node] : random.nodes) {
    TwinNode& here = nodes_[node.name];
    here.node = node;
    if (earlier && earlier->uid == node.uid) {
      here.history = model::observe({}, &*earlier, node, policy_.gpu, now_);
    }
    for (const auto& [name, quantity] : node.allocatable) {
      here.allocatable[name] = std::max<std::int64_t>(0, model::to_units(name, quantity).count());
    }
  }
  for (const auto& pod : random.bound) {
    const auto at = nodes_.find(pod.node_name);
    if (at == nodes_.end() || !model::holds_room(pod)) continue;
    for (const auto& [name, units] : requests_of(pod, model::RequestBasis::kSpecAndStatus)) {
      at->second.held[name] += units;
    }
  }
  for (auto& [name, here] : nodes_) add_devices(random.devices, here);
}

void NaiveTwin::add_devices(const model::DeviceObjects& objects, TwinNode& here) const {
  for (const auto& resource : device_resources(objects)) {
    const NaiveDevices found = naive_devices(objects, here.node.name, resource);
    const bool here_too = found.devices > 0 || found.uncounted;
    if (here_too) here.offers.push_back({resource, found.devices, found.uncounted});
    if (get(here.allocatable, resource) > 0 || (!here_too && !found.anywhere)) continue;
    here.delegated.insert(resource);
    here.allocatable[resource] = found.devices;
    here.held[resource] = found.allocated;
  }
}

/// Every GPU resource, of the node itself or from DRA.
std::int64_t NaiveTwin::gpus_of(const TwinNode& here) const {
  std::int64_t gpus = 0;
  for (const auto& [resource, units] : here.allocatable) {
    if (is_gpu(resource)) gpus += units;
  }
  return gpus;
}

bool NaiveTwin::is_gpu(const std::string& resource) const {
  return resource != "pods" && model::is_gpu_resource(policy_.gpu, resource);
}

NaiveTwin::Wish NaiveTwin::wish_of(const model::Pod& pod) const {
  Wish wish{pod, requests_of(pod, model::RequestBasis::kSpec), {}, false};
  std::vector<std::string> others;
  for (const auto& [name, units] : wish.requests) {
    if (is_gpu(name)) {
      wish.scarcest_first.push_back(name);
      wish.gpu_pod = true;
    } else if (name != "memory" && name != "cpu" && name != "ephemeral-storage" && name != "pods") {
      others.push_back(name);
    }
  }
  wish.scarcest_first.insert(wish.scarcest_first.end(), others.begin(), others.end());
  for (const char* name : {"memory", "cpu", "ephemeral-storage", "pods"}) {
    if (wish.requests.contains(name)) wish.scarcest_first.emplace_back(name);
  }
  return wish;
}

TwinVerdict NaiveTwin::judge(const Wish& wish, const TwinNode& here) const {
  const model::Pod& pod = wish.pod;
  const model::Node& node = here.node;
  if (!pod.invalid_requests.empty()) return refuse(Stage::kInvalidRequest);
  if (node.unschedulable && !model::tolerates_cordon(pod.tolerations)) {
    return refuse(Stage::kCordon);
  }
  if (model::first_untolerated(node.taints, pod.tolerations) != nullptr) {
    return refuse(Stage::kTaint);
  }
  if (!matches_affinity(pod, node)) return refuse(Stage::kNodeAffinity);
  if (wish.gpu_pod) {
    const auto inputs = model::readiness_inputs(node, here.history, policy_.gpu, here.offers);
    const Readiness readiness = model::judge(inputs, now_, policy_.gpu.grace);
    if (readiness == Readiness::kReconfiguring) return refuse(Stage::kReconfiguring);

    placement::AffinityMode mode = policy_.affinity_mode;
    const auto note = pod.annotations.find(policy_.affinity_annotation);
    if (note.has_value() && *note == "soft") mode = placement::AffinityMode::kSoft;
    if (note.has_value() && *note == "hard") mode = placement::AffinityMode::kHard;
    if (mode == placement::AffinityMode::kHard) {
      if (readiness == Readiness::kLabelPending) return refuse(Stage::kLabelPending);
      if (readiness == Readiness::kUnlabelled) return refuse(Stage::kLabelRule);
      if (readiness == Readiness::kLeaving && inputs.gpus_allocatable && !inputs.label_rule_holds) {
        return refuse(Stage::kLabelRule);
      }
      for (const auto& [resource, units] : wish.requests) {
        if (is_gpu(resource) && here.delegated.contains(resource) && !inputs.label_rule_holds) {
          return refuse(Stage::kLabelRule);
        }
      }
    }
  }
  return judge_resources(wish, here);
}

TwinVerdict NaiveTwin::judge_resources(const Wish& wish, const TwinNode& here) {
  const auto fits = [&here](const auto& request) {
    return here.delegated.contains(request.first) ||
           request.second <= get(here.allocatable, request.first);
  };
  const bool ever_fits = std::all_of(wish.requests.begin(), wish.requests.end(), fits);
  for (const auto& name : wish.scarcest_first) {
    const auto free = clamp_to_int64(static_cast<model::Int128>(get(here.allocatable, name)) -
                                     clamp_to_int64(get(here.held, name)));
    if (!here.delegated.contains(name) && wish.requests.at(name) > free) {
      return {false, Stage::kResource, reason_of(name), ever_fits};
    }
  }
  return {true, Stage::kResource, "", false};
}

std::map<std::string, TwinVerdict> NaiveTwin::filter(const model::Pod& pod) const {
  std::map<std::string, TwinVerdict> verdicts;
  const Wish wish = wish_of(pod);
  for (const auto& [name, here] : nodes_) verdicts[name] = judge(wish, here);
  return verdicts;
}

int NaiveTwin::tier(const Wish& wish, const TwinNode& here) const {
  const auto inputs = model::readiness_inputs(here.node, here.history, policy_.gpu, here.offers);
  if (inputs.leaving) return 0;
  const Readiness readiness = model::judge(inputs, now_, policy_.gpu.grace);
  if (!wish.gpu_pod) return readiness == Readiness::kNotGpu ? 2 : 1;
  if (readiness == Readiness::kReady) return 3;
  if (readiness == Readiness::kLabelPending) return 2;
  return 1;
}

float NaiveTwin::packing(const Wish& wish, const TwinNode& here) const {
  std::vector<std::pair<std::string, float>> weights;
  for (const auto& [name, units] : wish.requests) {
    if (is_gpu(name)) weights.emplace_back(name, policy_.weights.gpu);
  }
  weights.emplace_back("cpu", policy_.weights.cpu);
  weights.emplace_back("memory", policy_.weights.memory);

  float sum = 0;
  float total = 0;
  for (const auto& [name, weight] : weights) {
    const std::int64_t allocatable = get(here.allocatable, name);
    if (allocatable == 0) continue;
    const float inverse = 1.0F / static_cast<float>(allocatable);
    const auto held = static_cast<float>(clamp_to_int64(get(here.held, name)));
    const float held_fraction = std::min(1.0F, held * inverse);
    const float used = held_fraction + static_cast<float>(get(wish.requests, name)) * inverse;
    sum += weight * std::min(1.0F, used);
    total += weight;
  }
  const float mean = total > 0 ? std::min(1.0F, sum * (1.0F / total)) : 0.0F;
  return policy_.strategy == placement::StrategyName::kSpread ? 1.0F - mean : mean;
}

std::map<std::string, float> NaiveTwin::score(const model::Pod& pod) const {
  const Wish wish = wish_of(pod);
  std::map<std::string, std::int64_t> preferred;  // of the nodes that pass
  std::int64_t largest = 0;
  for (const auto& [name, here] : nodes_) {
    if (!judge(wish, here).passes) continue;
    preferred[name] = preferred_sum(pod, here.node);
    largest = std::max(largest, preferred[name]);
  }
  const float affinity_weight = largest > 0 ? policy_.weights.affinity : 0.0F;
  const float total = affinity_weight + policy_.weights.packing;
  const float part = total > 0 ? 1.0F / total : 0.0F;

  std::map<std::string, float> scores;
  for (const auto& [name, sum] : preferred) {
    const TwinNode& here = nodes_.at(name);
    float score = policy_.weights.packing * part * packing(wish, here);
    if (largest > 0) {
      const float affinity = static_cast<float>(sum) * (1.0F / static_cast<float>(largest));
      score += affinity_weight * part * std::min(1.0F, affinity);
    }
    scores[name] = score + placement::kTierDistance * static_cast<float>(tier(wish, here));
  }
  return scores;
}

bool NaiveTwin::before(const TwinNode& a, const TwinNode& b) const {
  const auto place = [this](const TwinNode& here) {
    return std::tuple(gpus_of(here), cluster::hash_name(here.node.name), here.node.name);
  };
  return place(a) < place(b);
}

std::vector<TwinHost> NaiveTwin::answer(const std::map<std::string, float>& scores,
                                        const std::vector<std::string>& names,
                                        placement::AnswerForm form) const {
  std::optional<std::string> winner;
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto& name : names) {
    if (!scores.contains(name)) continue;
    lowest = std::min(lowest, static_cast<double>(scores.at(name)));
    if (!winner || scores.at(name) > scores.at(*winner) ||
        (scores.at(name) == scores.at(*winner) && before(nodes_.at(name), nodes_.at(*winner)))) {
      winner = name;
    }
  }
  std::vector<TwinHost> hosts;
  for (const auto& name : names) {
    TwinHost host{name, 0};
    if (winner == name) {
      host.answer = 10;
    } else if (scores.contains(name)) {
      const double range = static_cast<double>(scores.at(*winner)) - lowest;
      const double above = static_cast<double>(scores.at(name)) - lowest;
      host.answer = range > 0 ? std::min(9, static_cast<int>(std::floor(10 * (above / range)))) : 9;
    }
    if (form == placement::AnswerForm::kGraded || host.answer == 10) hosts.push_back(host);
  }
  return hosts;
}

}  // namespace berth::test_support
