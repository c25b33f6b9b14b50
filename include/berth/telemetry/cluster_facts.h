/// What a snapshot says about the cluster as a whole, for metrics and messages.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "berth/base/clock.h"
#include "berth/cluster/snapshot.h"
#include "berth/model/readiness.h"

namespace berth::telemetry {

struct ClusterFacts {
  bool has_snapshot = false;
  std::uint64_t generation = 0;
  std::chrono::nanoseconds age{};  ///< since the snapshot was taken, never negative
  std::size_t nodes = 0;
  /// By model::Readiness.
  std::array<std::size_t, model::kAllReadiness.size()> nodes_by_readiness{};
};

/// The facts at `now`; of no snapshot at all if null. Cost: O(nodes), some ns each.
[[nodiscard]] ClusterFacts describe(const cluster::Snapshot* snapshot, Time now);

}  // namespace berth::telemetry
