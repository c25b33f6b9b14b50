/// How good a place each node is. One float per row, highest best.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "berth/base/clock.h"
#include "berth/placement/compiled_pod.h"
#include "berth/placement/filter.h"
#include "berth/placement/policy.h"

namespace berth::placement {

/// Ranks nodes by resources, judged after placing the pod. To add one: derive, name it in
/// StrategyName, and let make_strategy() build it; nothing else changes.
/// Thread-safe: stateless after construction.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Writes a value in [0, 1] per row of `passing`, 1 best. `values` has padded_rows() of them, all
  /// 0 at first; what other rows get, in that range, is not looked at.
  virtual void rank(const CompiledPod& pod, const RowSet& passing,
                    std::span<float> values) const = 0;
};
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(const Policy& policy);

/// For every passing row
///   score = kTierDistance * tier(readiness) + (w_a * affinity + w_p * packing) / (w_a + w_p),
/// kRefusedScore for every other; padded_rows() long. w_a counts as 0 for a pod without preferred
/// terms, so that packing then has the whole range. The part below the tiers is in [0, 1] whatever
/// the weights: tiers cannot mix, and a float's 24 bits always resolve packing to about 1e-6 of it.
///
/// Tiers of a GPU pod, best first: ready, label-pending, unlabelled, leaving. Of any other pod:
/// nodes without a sign of GPUs, GPU nodes, leaving.
/// Affinity: matching preferred weights over the largest sum of them on any passing row. A term
/// counts with at most 100, as the API allows; zero and less count for nothing.
inline constexpr float kTierDistance = 2.0F;
inline constexpr float kRefusedScore = -1.0F;
[[nodiscard]] std::vector<float> score(const CompiledPod& pod, const Verdicts& verdicts,
                                       const Policy& policy, const Strategy& strategy, Time now);

/// The score of a node that steps behind all others (a pod came back from it): below every other
/// score, above kRefusedScore, in the same order among themselves. A refused node stays refused.
[[nodiscard]] float behind(float score);

}  // namespace berth::placement
