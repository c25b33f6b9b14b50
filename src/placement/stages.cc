#include "stages.h"

#include <cassert>
#include <utility>

#include "kernel.h"

namespace berth::placement {
namespace {

/// The rows on which kube-scheduler alone judges the request. Null: none, which is the rule.
const RowSet* delegated_rows(const CompiledRequest& request, const cluster::Topology& topology) {
  return request.column ? topology.delegated(*request.column) : nullptr;
}

/// Nodes without GPUs have none to give whatever their labels: the resource stage says so.
RowSet without_label(const CompiledPod& pod, const cluster::Topology& topology) {
  RowSet rows = topology.gpus_allocatable();
  for (const auto& request : pod.requests) {
    const RowSet* delegated = request.gpu ? delegated_rows(request, topology) : nullptr;
    if (delegated != nullptr) rows |= *delegated;
  }
  rows -= topology.label_rule_holds();
  return rows;
}

}  // namespace

bool refuses_nobody(Stage stage, const CompiledPod& pod) {
  switch (stage) {
    case Stage::kInvalidRequest:
      return !pod.invalid_request;
    case Stage::kCordon:
      return pod.tolerates_cordon;
    case Stage::kNodeAffinity:
      return !pod.affinity_rows;
    case Stage::kReconfiguring:
      return !pod.gpu_pod;
    case Stage::kLabelPending:
    case Stage::kLabelRule:
      return !pod.gpu_pod || pod.affinity_mode != AffinityMode::kHard;
    case Stage::kTaint:
    case Stage::kUnknownNode:
    case Stage::kResource:
      break;
  }
  return false;
}

RowSet refused_by(Stage stage, const CompiledPod& pod, Time now) {
  const cluster::Topology& topology = pod.snapshot->topology();
  const std::size_t rows = topology.rows();
  if (refuses_nobody(stage, pod)) return RowSet(rows);
  switch (stage) {
    case Stage::kInvalidRequest:
      return RowSet::all(rows);
    case Stage::kCordon:
      return topology.cordoned();
    case Stage::kTaint:
      return pod.tainted_rows;
    case Stage::kNodeAffinity:
      return pod.affinity_rows->complement();
    case Stage::kReconfiguring:
      return topology.reconfiguring();
    case Stage::kLabelPending:
      return topology.label_pending(now);
    case Stage::kLabelRule:
      return without_label(pod, topology);
    case Stage::kUnknownNode:
    case Stage::kResource:
      break;
  }
  assert(false);
  return RowSet(rows);
}

bool split_by_request(const CompiledPod& pod, std::uint32_t request, RowSet& remaining,
                      RowSet& refused) {
  const cluster::Snapshot& snapshot = *pod.snapshot;
  const CompiledRequest& asked = pod.requests[request];
  refused = remaining;
  if (!asked.column) {
    remaining = RowSet(snapshot.rows());
    return true;
  }
  const bool any = kernel::split_by_room(
      {snapshot.free(*asked.column).data(), snapshot.least_free(*asked.column).data()}, asked.units,
      remaining.data(), refused.data(), remaining.word_count());
  const RowSet* delegated = delegated_rows(asked, snapshot.topology());
  if (!any || delegated == nullptr) return any;
  RowSet spared = refused;
  spared &= *delegated;
  remaining |= spared;
  refused -= spared;
  return !refused.empty();
}

RowSet refused_by_request(const CompiledPod& pod, std::uint32_t request) {
  RowSet remaining = RowSet::all(pod.snapshot->rows());
  RowSet refused;
  const bool any = split_by_request(pod, request, remaining, refused);
  return any ? std::move(refused) : RowSet(pod.snapshot->rows());
}

bool exceeds_allocatable(const CompiledPod& pod, Row row) {
  const cluster::Topology& topology = pod.snapshot->topology();
  for (const auto& request : pod.requests) {
    if (!request.column) return true;
    const RowSet* delegated = delegated_rows(request, topology);
    if (delegated != nullptr && delegated->contains(row)) continue;
    if (request.units > topology.allocatable(*request.column)[row.index]) return true;
  }
  return false;
}

}  // namespace berth::placement
