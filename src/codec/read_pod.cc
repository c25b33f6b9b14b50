#include <algorithm>

#include "read_objects.h"

namespace berth::codec {
namespace {

using Key = std::string_view;

void read_metadata(ObjectReader& reader, const Path& path, const Value& value, model::Pod& pod) {
  constexpr std::array<Key, 7> kKeys = {
      "name", "namespace", "uid", "resourceVersion", "labels", "annotations", "deletionTimestamp"};
  const auto [name, space, uid, version, labels, annotations, deleted] =
      reader.members(path, value, kKeys);
  reader.read(path.member("name"), name, pod.name);
  reader.read(path.member("namespace"), space, pod.namespace_name);
  reader.read(path.member("uid"), uid, pod.uid);
  reader.read(path.member("resourceVersion"), version, pod.resource_version);
  reader.read(path.member("labels"), labels, pod.labels);
  reader.read(path.member("annotations"), annotations, pod.annotations);
  std::string moment;
  reader.read(path.member("deletionTimestamp"), deleted, moment);
  pod.terminating = deleted.has_value();
}

/// The requests of a ResourceRequirements.
Value requests_of(ObjectReader& reader, const Path& path, const Value& resources) {
  constexpr std::array<Key, 1> kKeys = {"requests"};
  return reader.members(path, resources, kKeys)[0];
}

void read_amounts(ObjectReader& reader, const Path& path, const Value& value,
                  model::ResourceList& out, model::Pod& pod) {
  reader.read(path, value, ObjectReader::BadQuantity::kLeftOut, out, pod.invalid_requests);
}

/// An absent list stays absent.
void read_amounts(ObjectReader& reader, const Path& path, const Value& value,
                  std::optional<model::ResourceList>& out, model::Pod& pod) {
  if (value) read_amounts(reader, path, value, out.emplace(), pod);
}

/// Requests as the API server completes them: a resource that is named in the limits alone is asked
/// for as much as its limit. Objects that passed an API server are complete; manifests are not.
/// Source: Kubernetes pkg/apis/core/v1/defaults.go, SetDefaults_Pod.
void read_requests(ObjectReader& reader, const Path& path, const Value& resources,
                   model::ResourceList& out, model::Pod& pod) {
  constexpr std::array<Key, 2> kKeys = {"requests", "limits"};
  const auto [requests, limits] = reader.members(path, resources, kKeys);
  constexpr auto kLeftOut = ObjectReader::BadQuantity::kLeftOut;
  reader.read(path.member("requests"), requests, kLeftOut, out, pod.invalid_requests);
  reader.read_unless_in(requests, path.member("limits"), limits, kLeftOut, out,
                        pod.invalid_requests);
}

bool any_asks_for(const std::vector<model::Container>& containers, const std::string& resource) {
  return std::any_of(containers.begin(), containers.end(), [&](const model::Container& container) {
    return container.requests.find(resource) != nullptr;
  });
}

/// The same for the pod as a whole, where its limit counts only if no container asks.
/// REQUIRES: the containers were read. Source: the same, setDefaultPodRequests.
void read_pod_level_requests(ObjectReader& reader, const Path& path, const Value& resources,
                             model::Pod& pod) {
  constexpr std::array<Key, 2> kKeys = {"requests", "limits"};
  const auto [requests, limits] = reader.members(path, resources, kKeys);
  read_amounts(reader, path.member("requests"), requests, pod.pod_level_requests, pod);
  model::ResourceList more;
  reader.read_unless_in(requests, path.member("limits"), limits,
                        ObjectReader::BadQuantity::kLeftOut, more, pod.invalid_requests);
  for (const auto& [name, quantity] : more) {
    if (any_asks_for(pod.containers, name) || any_asks_for(pod.init_containers, name)) continue;
    if (!pod.pod_level_requests) pod.pod_level_requests.emplace();
    pod.pod_level_requests->set(name, quantity);
  }
}

void read_containers(ObjectReader& reader, const Path& path, const Value& value,
                     std::vector<model::Container>& out, model::Pod& pod) {
  constexpr std::array<Key, 3> kKeys = {"name", "restartPolicy", "resources"};
  reader.each(path, value, [&](const Path& at, const Value& item) {
    model::Container& container = out.emplace_back();
    const auto [name, restart, resources] = reader.members(at, item, kKeys);
    reader.read(at.member("name"), name, container.name);
    std::string policy;
    reader.read(at.member("restartPolicy"), restart, policy);
    container.restartable = policy == "Always";
    read_requests(reader, at.member("resources"), resources, container.requests, pod);
  });
}

void read_statuses(ObjectReader& reader, const Path& path, const Value& value,
                   std::vector<model::ContainerStatus>& out, model::Pod& pod) {
  constexpr std::array<Key, 3> kKeys = {"name", "resources", "allocatedResources"};
  reader.each(path, value, [&](const Path& at, const Value& item) {
    model::ContainerStatus& status = out.emplace_back();
    const auto [name, resources, allocated] = reader.members(at, item, kKeys);
    reader.read(at.member("name"), name, status.name);
    read_amounts(reader, at.member("allocatedResources"), allocated, status.allocated, pod);
    // Resources that are there without requests are an actuated request of nothing.
    if (!resources) return;
    const Path path_of_resources = at.member("resources");
    read_amounts(reader, path_of_resources.member("requests"),
                 requests_of(reader, path_of_resources, resources), status.actuated.emplace(), pod);
  });
}

void read_requirements(ObjectReader& reader, const Path& path, const Value& value,
                       std::vector<model::NodeSelectorRequirement>& out) {
  constexpr std::array<Key, 3> kKeys = {"key", "operator", "values"};
  reader.each(path, value, [&](const Path& at, const Value& item) {
    model::NodeSelectorRequirement& requirement = out.emplace_back();
    const auto [key, op, values] = reader.members(at, item, kKeys);
    std::string op_name;
    reader.read(at.member("key"), key, requirement.key);
    reader.read(at.member("operator"), op, op_name);
    reader.read(at.member("values"), values, requirement.values);
    requirement.op = model::parse_node_selector_operator(op_name);
  });
}

void read_term(ObjectReader& reader, const Path& path, const Value& value,
               model::NodeSelectorTerm& term) {
  constexpr std::array<Key, 2> kKeys = {"matchExpressions", "matchFields"};
  const auto [expressions, fields] = reader.members(path, value, kKeys);
  read_requirements(reader, path.member("matchExpressions"), expressions, term.match_expressions);
  read_requirements(reader, path.member("matchFields"), fields, term.match_fields);
}

void read_required(ObjectReader& reader, const Path& path, const Value& value, model::Pod& pod) {
  if (!value) return;
  constexpr std::array<Key, 1> kKeys = {"nodeSelectorTerms"};
  model::NodeSelector& selector = pod.required_affinity.emplace();
  const Value terms = reader.members(path, value, kKeys)[0];
  reader.each(path.member("nodeSelectorTerms"), terms, [&](const Path& at, const Value& term) {
    read_term(reader, at, term, selector.terms.emplace_back());
  });
}

void read_preferred(ObjectReader& reader, const Path& path, const Value& value, model::Pod& pod) {
  constexpr std::array<Key, 2> kKeys = {"weight", "preference"};
  reader.each(path, value, [&](const Path& at, const Value& item) {
    model::PreferredSchedulingTerm& preferred = pod.preferred_affinity.emplace_back();
    const auto [weight, preference] = reader.members(at, item, kKeys);
    reader.read(at.member("weight"), weight, preferred.weight);
    read_term(reader, at.member("preference"), preference, preferred.preference);
  });
}

void read_affinity(ObjectReader& reader, const Path& path, const Value& value, model::Pod& pod) {
  constexpr std::array<Key, 1> kKeys = {"nodeAffinity"};
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const Path inner = path.member("nodeAffinity");
  const Value affinity = reader.members(path, value, kKeys)[0];
  const auto [required, preferred] =
      reader.members(inner, affinity, std::array<Key, 2>{kRequired, kPreferred});
  read_required(reader, inner.member(kRequired), required, pod);
  read_preferred(reader, inner.member(kPreferred), preferred, pod);
}

void read_tolerations(ObjectReader& reader, const Path& path, const Value& value, model::Pod& pod) {
  constexpr std::array<Key, 4> kKeys = {"key", "operator", "value", "effect"};
  reader.each(path, value, [&](const Path& at, const Value& item) {
    model::Toleration& toleration = pod.tolerations.emplace_back();
    const auto [key, op, text, effect] = reader.members(at, item, kKeys);
    std::string op_name;
    reader.read(at.member("key"), key, toleration.key);
    reader.read(at.member("operator"), op, op_name);
    reader.read(at.member("value"), text, toleration.value);
    reader.read(at.member("effect"), effect, toleration.effect);
    toleration.op = model::parse_toleration_operator(op_name);
  });
}

void read_spec(ObjectReader& reader, const Path& path, const Value& value, model::Pod& pod) {
  constexpr std::array<Key, 9> kKeys = {"nodeName",       "schedulerName", "containers",
                                        "initContainers", "resources",     "overhead",
                                        "nodeSelector",   "affinity",      "tolerations"};
  const auto [node, scheduler, containers, init_containers, resources, overhead, selector, affinity,
              tolerations] = reader.members(path, value, kKeys);
  reader.read(path.member("nodeName"), node, pod.node_name);
  reader.read(path.member("schedulerName"), scheduler, pod.scheduler_name);
  read_containers(reader, path.member("containers"), containers, pod.containers, pod);
  read_containers(reader, path.member("initContainers"), init_containers, pod.init_containers, pod);
  read_pod_level_requests(reader, path.member("resources"), resources, pod);
  read_amounts(reader, path.member("overhead"), overhead, pod.overhead, pod);
  reader.read(path.member("nodeSelector"), selector, pod.node_selector);
  read_affinity(reader, path.member("affinity"), affinity, pod);
  read_tolerations(reader, path.member("tolerations"), tolerations, pod);
}

model::PodPhase parse_phase(std::string_view text) {
  if (text.empty() || text == "Pending") return model::PodPhase::kPending;
  if (text == "Running") return model::PodPhase::kRunning;
  if (text == "Succeeded") return model::PodPhase::kSucceeded;
  if (text == "Failed") return model::PodPhase::kFailed;
  return model::PodPhase::kUnknown;
}

void read_conditions(ObjectReader& reader, const Path& path, const Value& value, model::Pod& pod) {
  constexpr std::array<Key, 2> kKeys = {"type", "reason"};
  reader.each(path, value, [&](const Path& at, const Value& item) {
    const auto [type, reason] = reader.members(at, item, kKeys);
    std::string type_name;
    std::string reason_name;
    reader.read(at.member("type"), type, type_name);
    reader.read(at.member("reason"), reason, reason_name);
    if (type_name == "PodResizePending" && reason_name == "Infeasible")
      pod.resize_infeasible = true;
  });
}

void read_status(ObjectReader& reader, const Path& path, const Value& value, model::Pod& pod) {
  constexpr std::array<Key, 6> kKeys = {"phase",     "containerStatuses",  "initContainerStatuses",
                                        "resources", "allocatedResources", "conditions"};
  const auto [phase, statuses, init_statuses, resources, allocated, conditions] =
      reader.members(path, value, kKeys);
  std::string phase_name;
  reader.read(path.member("phase"), phase, phase_name);
  pod.phase = parse_phase(phase_name);
  read_statuses(reader, path.member("containerStatuses"), statuses, pod.container_statuses, pod);
  read_statuses(reader, path.member("initContainerStatuses"), init_statuses,
                pod.init_container_statuses, pod);
  const Path path_of_resources = path.member("resources");
  read_amounts(reader, path_of_resources.member("requests"),
               requests_of(reader, path_of_resources, resources), pod.pod_level_actuated, pod);
  read_amounts(reader, path.member("allocatedResources"), allocated, pod.pod_level_allocated, pod);
  read_conditions(reader, path.member("conditions"), conditions, pod);
}

}  // namespace

void read_pod(ObjectReader& reader, const Value& object, model::Pod& pod) {
  constexpr std::array<Key, 3> kKeys = {"metadata", "spec", "status"};
  const Path root;
  const auto [metadata, spec, status] = reader.members(root, object, kKeys);
  read_metadata(reader, root.member("metadata"), metadata, pod);
  read_spec(reader, root.member("spec"), spec, pod);
  read_status(reader, root.member("status"), status, pod);
}

}  // namespace berth::codec
