#include "berth/placement/filter.h"

#include <array>
#include <cassert>
#include <utility>

#include "stages.h"

namespace berth::placement {
namespace {

/// Before the resources, in the order in which they are judged.
constexpr std::array kStages = {Stage::kInvalidRequest, Stage::kCordon,        Stage::kTaint,
                                Stage::kNodeAffinity,   Stage::kReconfiguring, Stage::kLabelPending,
                                Stage::kLabelRule};

}  // namespace

Refusal Verdicts::refusal(Row row, const CompiledPod& pod) const {
  assert(!passes(row));
  for (const auto& refused : refused_) {
    if (!refused.rows.contains(row)) continue;
    if (refused.stage != Stage::kResource) {
      return {refused.stage, reason_text(refused.stage), false};
    }
    return {Stage::kResource, pod.requests[refused.request].reason, !exceeds_allocatable(pod, row)};
  }
  return unknown_node();  // unreachable while the requirement holds
}

Refusal Verdicts::unknown_node() {
  return {Stage::kUnknownNode, reason_text(Stage::kUnknownNode), false};
}

Verdicts filter(const CompiledPod& pod, Time now) {
  Verdicts verdicts;
  RowSet& passing = verdicts.passing_;
  passing = RowSet::all(pod.snapshot->rows());
  // What a stage refuses is what earlier stages left.
  for (const Stage stage : kStages) {
    if (refuses_nobody(stage, pod)) continue;
    RowSet rows = refused_by(stage, pod, now);
    rows &= passing;
    if (rows.empty()) continue;
    passing -= rows;
    verdicts.refused_.push_back({stage, 0, std::move(rows)});
  }
  for (std::uint32_t i = 0; i < pod.requests.size(); ++i) {
    RowSet refused;
    if (split_by_request(pod, i, passing, refused)) {
      verdicts.refused_.push_back({Stage::kResource, i, std::move(refused)});
    }
  }
  return verdicts;
}

}  // namespace berth::placement
