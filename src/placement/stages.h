/// The stages of filter(), each for itself. filter() folds them, the first refusal counts;
/// explain() asks each of them about every row.
#pragma once

#include <cstdint>

#include "berth/base/clock.h"
#include "berth/base/row_set.h"
#include "berth/placement/compiled_pod.h"
#include "berth/placement/refusal.h"

namespace berth::placement {

/// The rows that a stage refuses, whatever other stages say. REQUIRES: not kResource, not
/// kUnknownNode.
[[nodiscard]] RowSet refused_by(Stage stage, const CompiledPod& pod, Time now);

/// Whether a stage need not be asked about this pod. Cost: none.
[[nodiscard]] bool refuses_nobody(Stage stage, const CompiledPod& pod);

/// Moves the rows of `remaining` that lack room for pod.requests[request] to `refused`
/// (overwritten). Rows where kube-scheduler alone judges the resource stay. Returns whether any row
/// moved.
bool split_by_request(const CompiledPod& pod, std::uint32_t request, RowSet& remaining,
                      RowSet& refused);

/// The rows that lack room for pod.requests[request], whatever other stages say.
[[nodiscard]] RowSet refused_by_request(const CompiledPod& pod, std::uint32_t request);

/// Whether the pod could never fit on the row, not even when it is empty.
[[nodiscard]] bool exceeds_allocatable(const CompiledPod& pod, Row row);

}  // namespace berth::placement
