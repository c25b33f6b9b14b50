#include "berth/placement/compiled_pod.h"

#include <algorithm>
#include <utility>

#include "berth/model/resources.h"
#include "berth/model/selector.h"
#include "berth/model/taint.h"

namespace berth::placement {
namespace {

using cluster::Topology;

constexpr std::size_t kLongestName = 253 + 1 + 63;  // prefix, slash, name
constexpr std::int64_t kLargestWeight = 100;        // the API allows no more

/// In-tree's words. The name comes from the pod: kube-scheduler formats reasons, so nothing that
/// cannot be in a valid name gets into one.
std::string reason_for(std::string_view resource) {
  if (resource == model::kPods) return "Too many pods";
  std::string reason = "Insufficient ";
  for (const char c : resource.substr(0, kLongestName)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '/';
    reason += plain ? c : '_';
  }
  return reason;
}

/// Scarcest first.
int scarcity_rank(const CompiledRequest& request) {
  if (request.gpu) return 0;
  if (request.resource == model::kMemory) return 2;
  if (request.resource == model::kCpu) return 3;
  if (request.resource == model::kEphemeralStorage) return 4;
  if (request.resource == model::kPods) return 5;
  return 1;
}

std::vector<CompiledRequest> compile_requests(const model::Pod& pod, const Policy& policy,
                                              const Topology& topology) {
  std::vector<CompiledRequest> requests;
  const auto add = [&](const std::string& resource, std::int64_t units, bool gpu) {
    requests.push_back({resource, reason_for(resource), topology.column(resource), units, gpu});
  };
  for (const auto& entry : model::effective_request(pod, model::RequestBasis::kSpec)) {
    const std::int64_t units = model::to_units(entry.name, entry.quantity).count();
    if (units <= 0 || entry.name == model::kPods) continue;
    add(entry.name, units, model::is_gpu_resource(policy.gpu, entry.name));
  }
  add(std::string(model::kPods), 1, false);
  std::stable_sort(requests.begin(), requests.end(), [](const auto& a, const auto& b) {
    return scarcity_rank(a) < scarcity_rank(b);
  });
  return requests;
}

AffinityMode affinity_mode_of(const model::Pod& pod, const Policy& policy) {
  const auto wish = pod.annotations.find(policy.affinity_annotation);
  if (!wish) return policy.affinity_mode;
  return parse_affinity_mode(*wish).value_or(policy.affinity_mode);
}

/// Removes from `rows` what a requirement on a field does not match.
void keep_matching_field(const model::NodeSelectorRequirement& requirement,
                         const Topology& topology, RowSet& rows) {
  if (requirement.key != "metadata.name") {
    if (!model::matches_field(requirement, "")) rows = RowSet(rows.size());
    return;
  }
  RowSet named(rows.size());
  for (const auto& name : requirement.values) {
    if (const auto row = topology.find(name)) named.insert(*row);
  }
  if (requirement.op == model::NodeSelectorOperator::kIn) {
    rows &= named;
  } else {
    rows -= named;
  }
}

/// The rows on which model::matches(term, ...) holds.
RowSet rows_of(const model::NodeSelectorTerm& term, const Topology& topology) {
  if (!model::can_match(term)) return RowSet(topology.rows());
  RowSet rows = RowSet::all(topology.rows());
  for (const auto& requirement : term.match_expressions) {
    RowSet matching(rows.size());
    topology.add_matching_rows(requirement, matching);
    rows &= matching;
  }
  for (const auto& requirement : term.match_fields)
    keep_matching_field(requirement, topology, rows);
  return rows;
}

std::optional<RowSet> affinity_rows_of(const model::Pod& pod, const Topology& topology) {
  if (pod.node_selector.empty() && !pod.required_affinity) return std::nullopt;
  RowSet rows = RowSet::all(topology.rows());
  for (const auto& [key, value] : pod.node_selector) {
    RowSet matching(rows.size());
    topology.add_rows_with(key, value, matching);
    rows &= matching;
  }
  if (pod.required_affinity) {
    RowSet matching(rows.size());
    for (const auto& term : pod.required_affinity->terms) matching |= rows_of(term, topology);
    rows &= matching;
  }
  return rows;
}

std::vector<CompiledPod::PreferredRows> preferred_rows_of(const model::Pod& pod,
                                                          const Topology& topology) {
  std::vector<CompiledPod::PreferredRows> preferred;
  std::size_t terms = 0;
  for (const auto& term : pod.preferred_affinity) {
    if (++terms > kMaxPreferredTerms) break;
    if (term.weight <= 0) continue;
    RowSet rows = rows_of(term.preference, topology);
    if (rows.empty()) continue;
    preferred.push_back(
        {static_cast<std::int32_t>(std::min(term.weight, kLargestWeight)), std::move(rows)});
  }
  return preferred;
}

}  // namespace

CompiledPod compile(const model::Pod& pod, const Policy& policy,
                    std::shared_ptr<const cluster::Snapshot> snapshot) {
  CompiledPod compiled;
  compiled.snapshot = std::move(snapshot);
  const Topology& topology = compiled.snapshot->topology();
  compiled.requests = compile_requests(pod, policy, topology);
  compiled.gpu_pod = compiled.requests.front().gpu;  // sorted, and never empty
  compiled.invalid_request = !pod.invalid_requests.empty();
  compiled.affinity_mode = affinity_mode_of(pod, policy);
  compiled.affinity_rows = affinity_rows_of(pod, topology);
  compiled.tainted_rows = RowSet(topology.rows());
  topology.add_untolerated_rows(pod.tolerations, compiled.tainted_rows);
  compiled.tolerates_cordon = model::tolerates_cordon(pod.tolerations);
  compiled.preferred = preferred_rows_of(pod, topology);
  return compiled;
}

}  // namespace berth::placement
