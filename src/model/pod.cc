#include "berth/model/pod.h"

#include <algorithm>

namespace berth::model {
namespace {

constexpr std::string_view kHugePagesPrefix = "hugepages-";

bool is_pod_level(std::string_view resource) {
  return resource == kCpu || resource == kMemory || resource.starts_with(kHugePagesPrefix);
}

bool is_terminal(const Pod& pod) {
  return pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
}

/// What an in-place resize can change.
bool is_resizable(std::string_view resource) { return resource == kCpu || resource == kMemory; }

const ContainerStatus* status_of(const std::vector<ContainerStatus>& statuses,
                                 const std::string& name) {
  const auto found =
      std::find_if(statuses.begin(), statuses.end(),
                   [&](const ContainerStatus& status) { return status.name == name; });
  return found != statuses.end() ? &*found : nullptr;
}

/// The largest of what was asked for, granted and put into effect. A resize that the kubelet found
/// infeasible will not happen, so then the new wish counts no more; but only where the kubelet says
/// what is in effect (before 1.37 the wish counts without that), and never for what no resize can
/// change.
ResourceList resized_request(const Container& container, const ContainerStatus& status,
                             bool infeasible) {
  ResourceList request = container.requests;
  if (infeasible && status.actuated) {
    ResourceList fixed;
    for (const auto& [name, quantity] : request) {
      if (!is_resizable(name)) fixed.set(name, quantity);
    }
    request = fixed;
  }
  if (status.actuated) request.raise_to(*status.actuated);
  if (status.allocated) request.raise_to(*status.allocated);
  return request;
}

class RequestSum {
 public:
  RequestSum(const Pod& pod, RequestBasis basis)
      : pod_(pod), with_status_(basis == RequestBasis::kSpecAndStatus) {}

  [[nodiscard]] ResourceList total() const {
    ResourceList result = containers();
    if (pod_.pod_level_requests) replace_pod_level(result);
    result.add(pod_.overhead);
    return result;
  }

 private:
  /// What runs together at the most: all containers and sidecars, or an ordinary init container
  /// beside the sidecars declared before it.
  [[nodiscard]] ResourceList containers() const {
    ResourceList running;
    for (const Container& container : pod_.containers) {
      running.add(request_of(container, pod_.container_statuses));
    }
    ResourceList sidecars;
    ResourceList peak;
    for (const Container& container : pod_.init_containers) {
      if (container.restartable) {
        sidecars.add(request_of(container, pod_.init_container_statuses));
        peak.raise_to(sidecars);
      } else {
        ResourceList beside = container.requests;  // never resized
        beside.add(sidecars);
        peak.raise_to(beside);
      }
    }
    running.add(sidecars);
    running.raise_to(peak);
    return running;
  }

  [[nodiscard]] ResourceList request_of(const Container& container,
                                        const std::vector<ContainerStatus>& statuses) const {
    const ContainerStatus* status = with_status_ ? status_of(statuses, container.name) : nullptr;
    if (status == nullptr) return container.requests;
    return resized_request(container, *status, pod_.resize_infeasible);
  }

  /// A request of the pod as a whole stands instead of the sum, whichever is larger. Only what the
  /// spec names is replaced: the status lists every resource.
  void replace_pod_level(ResourceList& result) const {
    for (const auto& [name, wanted] : *pod_.pod_level_requests) {
      if (!is_pod_level(name)) continue;
      Quantity quantity = wanted;
      if (with_status_) {
        if (pod_.pod_level_actuated)
          quantity = std::max(quantity, pod_.pod_level_actuated->get(name));
        if (pod_.pod_level_allocated) {
          quantity = std::max(quantity, pod_.pod_level_allocated->get(name));
        }
      }
      result.set(name, quantity);
    }
  }

  const Pod& pod_;
  bool with_status_;
};

}  // namespace

ResourceList effective_request(const Pod& pod, RequestBasis basis) {
  return RequestSum(pod, basis).total();
}

bool holds_room(const Pod& pod) { return !pod.node_name.empty() && !is_terminal(pod); }

bool waits_for_node(const Pod& pod) { return pod.node_name.empty() && !is_terminal(pod); }

}  // namespace berth::model
