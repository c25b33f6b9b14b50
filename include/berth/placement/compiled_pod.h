/// A pod prepared for judging every node of one snapshot.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/row_set.h"
#include "berth/cluster/snapshot.h"
#include "berth/model/pod.h"
#include "berth/placement/policy.h"

namespace berth::placement {

/// One positive request against a column of the snapshot (no column: no node has the resource).
struct CompiledRequest {
  std::string resource;
  std::string reason;  ///< "Insufficient <resource>", or "Too many pods"
  std::optional<cluster::ResourceColumn> column;
  std::int64_t units = 0;
  bool gpu = false;
};

/// Valid for the snapshot it was compiled for, which it keeps alive.
struct CompiledPod {
  std::shared_ptr<const cluster::Snapshot> snapshot;
  bool gpu_pod = false;
  bool invalid_request = false;
  AffinityMode affinity_mode = AffinityMode::kSoft;
  /// Scarcest first: GPUs, other extended resources, memory, cpu, ephemeral-storage, pod slots.
  std::vector<CompiledRequest> requests;
  /// Rows that pass, empty when there is nothing to judge.
  std::optional<RowSet> affinity_rows;  ///< nodeSelector and required affinity
  RowSet tainted_rows;                  ///< rows with a taint that the pod does not tolerate
  bool tolerates_cordon = false;
  /// The preferred terms that match anything, with weights in 1..100.
  struct PreferredRows {
    std::int32_t weight = 0;
    RowSet rows;
  };
  std::vector<PreferredRows> preferred;
};

/// Preferred terms beyond this many count for nothing: no API server stores such a pod, and each
/// costs a set of rows.
inline constexpr std::size_t kMaxPreferredTerms = 1024;

/// Cost: O(requirements x nodes / 64) plus the pod's own size.
[[nodiscard]] CompiledPod compile(const model::Pod& pod, const Policy& policy,
                                  std::shared_ptr<const cluster::Snapshot> snapshot);

}  // namespace berth::placement
