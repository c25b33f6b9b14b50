#include "berth/model/readiness.h"

#include <algorithm>

namespace berth::model {
namespace {

constexpr std::string_view kMigConfigState = "nvidia.com/mig.config.state";

/// Keys of the taints by which autoscalers mark what they remove. The values are times or words of
/// the autoscaler; the key alone says it.
constexpr std::array<std::string_view, 5> kLeavingKeys = {
    "ToBeDeletedByClusterAutoscaler",        // Cluster Autoscaler: draining
    "DeletionCandidateOfClusterAutoscaler",  // Cluster Autoscaler: unneeded for a while
    "karpenter.sh/disrupted",                // Karpenter since 1.0
    "karpenter.sh/disruption",               // Karpenter before, with the value "disrupting"
    "karpenter.sh/candidate",                // Karpenter before: may be disrupted
};

/// Whether the span from `start` to `now` is shorter than `grace`. The span is computed so that
/// "long ago" (Time::min()) cannot overflow it.
bool within_grace(Time start, Time now, Duration grace) {
  if (start >= now) return grace > Duration::zero();
  Duration::rep elapsed = 0;
  if (__builtin_sub_overflow(now.time_since_epoch().count(), start.time_since_epoch().count(),
                             &elapsed)) {
    return false;
  }
  return Duration(elapsed) < grace;
}

}  // namespace

std::string_view to_string(Readiness readiness) {
  switch (readiness) {
    case Readiness::kReady:
      return "ready";
    case Readiness::kLabelPending:
      return "label-pending";
    case Readiness::kUnlabelled:
      return "unlabelled";
    case Readiness::kDevicePending:
      return "device-pending";
    case Readiness::kDeviceLost:
      return "device-lost";
    case Readiness::kReconfiguring:
      return "reconfiguring";
    case Readiness::kLeaving:
      return "leaving";
    case Readiness::kNotGpu:
      return "not-gpu";
  }
  return "";
}

bool has_gpus(const Node& node, const DeviceOffers& offers, const GpuPolicy& policy) {
  if (gpus_of(policy, node.allocatable) > GpuCount(0)) return true;
  // None is allocatable, so that every offer of GPUs counts.
  return std::any_of(offers.begin(), offers.end(), [&](const DeviceOffer& offer) {
    return is_gpu_resource(policy, offer.resource);
  });
}

ReadinessHistory observe(const ReadinessHistory& history, const Node* previous, const Node& current,
                         const GpuPolicy& policy, Time now, const DeviceOffers& offers) {
  ReadinessHistory next = history;
  if (previous == nullptr) return next;
  if (label_rule_holds(policy, previous->labels) && !label_rule_holds(policy, current.labels)) {
    next.label_vanished = now;
  }
  if (!has_gpus(*previous, offers, policy) && has_gpus(current, offers, policy)) {
    next.gpus_appeared = now;
  }
  return next;
}

ReadinessInputs readiness_inputs(const Node& node, const ReadinessHistory& history,
                                 const GpuPolicy& policy, const DeviceOffers& offers) {
  const auto mig_state = node.labels.find(kMigConfigState);
  ReadinessInputs inputs;
  inputs.label_rule_holds = label_rule_holds(policy, node.labels);
  inputs.gpus_allocatable = has_gpus(node, offers, policy);
  inputs.gpu_sign = (inputs.label_rule_holds && !policy.label_rule.empty()) ||
                    inputs.gpus_allocatable || gpus_of(policy, node.capacity) > GpuCount(0) ||
                    mig_state.has_value();
  inputs.reconfiguring = mig_state.has_value() && *mig_state != "success";
  inputs.leaving = std::any_of(node.taints.begin(), node.taints.end(), marks_leaving);
  inputs.grace_start = std::max({node.creation_time.value_or(Time::min()),
                                 history.label_vanished.value_or(Time::min()),
                                 history.gpus_appeared.value_or(Time::min())});
  return inputs;
}

Readiness judge(const ReadinessInputs& inputs, Time now, Duration grace) {
  if (!inputs.gpu_sign) return Readiness::kNotGpu;
  if (inputs.reconfiguring) return Readiness::kReconfiguring;
  if (inputs.leaving) return Readiness::kLeaving;
  const bool pending = within_grace(inputs.grace_start, now, grace);
  if (!inputs.gpus_allocatable) {
    return pending ? Readiness::kDevicePending : Readiness::kDeviceLost;
  }
  if (inputs.label_rule_holds) return Readiness::kReady;
  return pending ? Readiness::kLabelPending : Readiness::kUnlabelled;
}

bool marks_leaving(const Taint& taint) {
  return std::find(kLeavingKeys.begin(), kLeavingKeys.end(), taint.key) != kLeavingKeys.end();
}

}  // namespace berth::model
