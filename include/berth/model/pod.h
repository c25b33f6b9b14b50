/// A pod, as far as placing it depends on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/labels.h"
#include "berth/model/pod_rules.h"
#include "berth/model/resources.h"
#include "berth/model/selector.h"
#include "berth/model/taint.h"

namespace berth::model {

enum class PodPhase { kPending, kRunning, kSucceeded, kFailed, kUnknown };

struct Container {
  std::string name;
  ResourceList requests;
  ResourceList limits;
  std::vector<HostPort> host_ports;
  bool restartable = false;  ///< an init container with restartPolicy Always: a sidecar
};

/// What the kubelet says about a container while an in-place resize is in flight.
struct ContainerStatus {
  std::string name;
  std::optional<ResourceList> actuated;   ///< status.containerStatuses[].resources.requests
  std::optional<ResourceList> allocated;  ///< status.containerStatuses[].allocatedResources
};

struct Pod {
  std::string namespace_name;
  std::string name;
  std::string generate_name;  ///< what `name` was made of
  std::string uid;
  std::string resource_version;
  Labels labels;
  Labels annotations;
  std::optional<Time> creation_time;
  std::optional<Time> start_time;  ///< status.startTime

  std::string node_name;            ///< spec.nodeName; empty while unbound
  std::string nominated_node_name;  ///< status.nominatedNodeName
  std::string scheduler_name;       ///< spec.schedulerName
  PodPhase phase = PodPhase::kPending;
  bool terminating = false;  ///< metadata.deletionTimestamp is set
  std::vector<std::string> scheduling_gates;

  std::optional<std::int32_t> priority;  ///< spec.priority; missing counts as 0
  std::string priority_class_name;
  bool never_preempts = false;  ///< spec.preemptionPolicy is Never

  std::vector<Container> containers;
  std::vector<Container> init_containers;          ///< in declared order
  std::optional<ResourceList> pod_level_requests;  ///< spec.resources.requests
  ResourceList overhead;                           ///< spec.overhead
  std::vector<ContainerStatus> container_statuses;
  std::vector<ContainerStatus> init_container_statuses;
  std::optional<ResourceList> pod_level_actuated;   ///< status.resources.requests
  std::optional<ResourceList> pod_level_allocated;  ///< status.allocatedResources
  bool resize_infeasible = false;  ///< condition PodResizePending with reason Infeasible

  Labels node_selector;
  std::optional<NodeSelector> required_affinity;
  std::vector<PreferredSchedulingTerm> preferred_affinity;
  std::vector<Toleration> tolerations;
  std::vector<PodAffinityTerm> required_pod_affinity;
  std::vector<PodAffinityTerm> required_pod_anti_affinity;
  std::vector<TopologySpreadConstraint> topology_spread;

  /// What else can keep it from a node and is not judged by berth: "persistentVolumeClaim NAME",
  /// "ephemeral volume NAME", "csi volume NAME", "resourceClaim NAME", ... in declared order.
  std::vector<std::string> not_judged;

  /// Request quantities that could not be read or are negative, each naming its field and value.
  /// They count as nothing in the lists above; a pod that has any must never be placed.
  std::vector<std::string> invalid_requests;
};

enum class RequestBasis {
  kSpec,           ///< an incoming pod
  kSpecAndStatus,  ///< a pod on a node: a resize in flight holds the larger of old and new
};

/// What the pod asks of a node, exact, every resource by name (pod slots are not in it): the larger
/// of all containers and sidecars together and the init phase's peak; cpu, memory and huge pages
/// replaced by what the pod level asks for; plus overhead.
///
/// With status, each container and sidecar counts with the largest of its spec, its allocated and
/// its actuated request. That is the rule of Kubernetes 1.33 to 1.36, and never less than the
/// rule of 1.37 (the largest of three sums), so it is safe on all of them. In a resize that the
/// kubelet found infeasible, the spec's cpu and memory do not count where an actuated request is
/// known. A pod-level request counts with the largest of the three.
/// Source: component-helpers resource/helpers.go, PodRequests.
[[nodiscard]] ResourceList effective_request(const Pod& pod, RequestBasis basis);

/// Whether the pod holds room on spec.nodeName: bound and not terminal. Terminating pods hold it
/// until they are gone. Source: kube-scheduler's cache (framework/types.go).
[[nodiscard]] bool holds_room(const Pod& pod);

/// Whether the pod has no node and is not terminal.
[[nodiscard]] bool waits_for_node(const Pod& pod);

}  // namespace berth::model
