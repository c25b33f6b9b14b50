#include "berth/placement/filter.h"

#include <cassert>
#include <utility>

#include "kernel.h"

namespace berth::placement {
namespace {

/// The rows on which kube-scheduler alone judges the request. Null: none, which is the rule.
const RowSet* delegated_rows(const CompiledRequest& request, const cluster::Topology& topology) {
  return request.column ? topology.delegated(*request.column) : nullptr;
}

/// Whether the pod could never fit on the row, not even when it is empty.
bool exceeds_allocatable(const CompiledPod& pod, Row row) {
  for (const auto& request : pod.requests) {
    if (!request.column) return true;
    const RowSet* delegated = delegated_rows(request, pod.snapshot->topology());
    if (delegated != nullptr && delegated->contains(row)) continue;
    const auto allocatable = pod.snapshot->topology().allocatable(*request.column);
    if (request.units > allocatable[row.index]) return true;
  }
  return false;
}

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
  const cluster::Snapshot& snapshot = *pod.snapshot;
  const cluster::Topology& topology = snapshot.topology();
  Verdicts verdicts;
  verdicts.passing_ = RowSet::all(snapshot.rows());
  RowSet& passing = verdicts.passing_;

  // What a stage refuses is what earlier stages left.
  const auto refuse = [&verdicts, &passing](Stage stage, RowSet rows) {
    rows &= passing;
    if (rows.empty()) return;
    passing -= rows;
    verdicts.refused_.push_back({stage, 0, std::move(rows)});
  };
  if (pod.invalid_request) refuse(Stage::kInvalidRequest, passing);
  if (!pod.tolerates_cordon) refuse(Stage::kCordon, topology.cordoned());
  refuse(Stage::kTaint, pod.tainted_rows);
  if (pod.affinity_rows) refuse(Stage::kNodeAffinity, pod.affinity_rows->complement());
  if (pod.gpu_pod) {
    refuse(Stage::kReconfiguring, topology.reconfiguring());
    if (pod.affinity_mode == AffinityMode::kHard) {
      refuse(Stage::kLabelPending, topology.label_pending(now));
      // Nodes without GPUs have none to give whatever their labels: the resource stage says so.
      RowSet unlabelled = topology.gpus_allocatable();
      for (const auto& request : pod.requests) {
        const RowSet* delegated = request.gpu ? delegated_rows(request, topology) : nullptr;
        if (delegated != nullptr) unlabelled |= *delegated;
      }
      unlabelled -= topology.label_rule_holds();
      refuse(Stage::kLabelRule, std::move(unlabelled));
    }
  }

  for (std::uint32_t i = 0; i < pod.requests.size(); ++i) {
    const CompiledRequest& request = pod.requests[i];
    RowSet refused = passing;
    bool any = true;
    if (request.column) {
      any = kernel::split_by_room(
          {snapshot.free(*request.column).data(), snapshot.least_free(*request.column).data()},
          request.units, passing.data(), refused.data(), passing.word_count());
      if (const RowSet* delegated = topology.delegated(*request.column); any && delegated) {
        RowSet spared = refused;
        spared &= *delegated;
        passing |= spared;
        refused -= spared;
        any = !refused.empty();
      }
    } else {
      passing = RowSet(snapshot.rows());
    }
    if (any) verdicts.refused_.push_back({Stage::kResource, i, std::move(refused)});
  }
  return verdicts;
}

}  // namespace berth::placement
