/// Readiness: the state of a node as a place for GPU pods.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "berth/base/clock.h"
#include "berth/model/devices.h"
#include "berth/model/gpu_policy.h"
#include "berth/model/node.h"

namespace berth::model {

enum class Readiness : std::uint8_t {
  kReady,          ///< label rule holds, GPUs allocatable
  kLabelPending,   ///< GPUs allocatable, label missing, within grace
  kUnlabelled,     ///< GPUs allocatable, label missing, grace over
  kDevicePending,  ///< a GPU node by label or capacity, none allocatable, within grace
  kDeviceLost,     ///< the same, grace over
  kReconfiguring,  ///< nvidia.com/mig.config.state is there and is not "success"
  kLeaving,        ///< an autoscaler is about to remove it
  kNotGpu,         ///< none of it
};
inline constexpr std::array kAllReadiness = {Readiness::kReady,      Readiness::kLabelPending,
                                             Readiness::kUnlabelled, Readiness::kDevicePending,
                                             Readiness::kDeviceLost, Readiness::kReconfiguring,
                                             Readiness::kLeaving,    Readiness::kNotGpu};

/// The words of docs: "ready", "label-pending", ...
[[nodiscard]] std::string_view to_string(Readiness readiness);

/// What we saw happen to a node since we know it; it moves the start of grace.
struct ReadinessHistory {
  std::optional<Time> label_vanished;
  std::optional<Time> gpus_appeared;
  friend bool operator==(const ReadinessHistory&, const ReadinessHistory&) = default;
};

/// Whether pods may get GPUs there, now or when others leave: some are allocatable, or DRA offers
/// some in their place.
[[nodiscard]] bool has_gpus(const Node& node, const DeviceOffers& offers, const GpuPolicy& policy);

/// The history after `previous` (null: never seen, nothing to learn) became `current` at `now`,
/// while DRA offered the same.
/// REQUIRES: both are the same node (same uid).
[[nodiscard]] ReadinessHistory observe(const ReadinessHistory& history, const Node* previous,
                                       const Node& current, const GpuPolicy& policy, Time now,
                                       const DeviceOffers& offers = {});

/// Everything readiness depends on but the time, so that it can be kept per node.
struct ReadinessInputs {
  bool label_rule_holds = false;
  bool gpus_allocatable = false;  ///< see has_gpus()
  bool gpu_sign = false;  ///< the label rule (if it says anything) holds, or GPUs in capacity or
                          ///< allocatable, or there is a MIG state
  bool reconfiguring = false;
  bool leaving = false;
  /// Latest of creation (missing: long ago), label vanished, GPUs appeared.
  Time grace_start = Time::min();
  friend bool operator==(const ReadinessInputs&, const ReadinessInputs&) = default;
};

[[nodiscard]] ReadinessInputs readiness_inputs(const Node& node, const ReadinessHistory& history,
                                               const GpuPolicy& policy,
                                               const DeviceOffers& offers = {});

/// Within grace: now - grace_start < grace; a start in the future counts as now.
[[nodiscard]] Readiness judge(const ReadinessInputs& inputs, Time now, Duration grace);

/// Whether the taint is one by which an autoscaler marks a node that it is about to remove.
[[nodiscard]] bool marks_leaving(const Taint& taint);

}  // namespace berth::model
