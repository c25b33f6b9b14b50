/// What the admin listener shows to people and probes.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "berth/base/clock.h"
#include "berth/cluster/snapshot.h"
#include "berth/cluster/source.h"

namespace berth::app {

struct ReadinessPage {
  bool ready = false;
  std::string text;
};
/// Ready with a snapshot and no source that is silent for `stale_after` or longer. One line per
/// source says how it stands; without sources (a cluster file) there is one line in all.
[[nodiscard]] ReadinessPage readiness_page(bool has_snapshot,
                                           std::span<const cluster::SourceStatus> sources,
                                           std::chrono::nanoseconds stale_after);

/// Every node as berth sees it, as JSON, in berth's node order:
/// {"generation": 7, "nodes": [{"name", "uid", "readiness", "allocatable", "held", "free"}]}.
/// Amounts by resource are integers: cpu in thousandths, everything else in whole units; held is
/// what pods hold, those of resources that the node does not have too; free is signed.
[[nodiscard]] std::string nodes_page(const cluster::Snapshot& snapshot, Time now);

}  // namespace berth::app
