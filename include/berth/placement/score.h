/// How good a place each node is. One float per row, highest best.
#pragma once

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
  /// Writes a value in [0, 1] per row (padded_rows() of them), 1 best. Rows that do not pass
  /// may get anything in that range.
  virtual void rank(const CompiledPod& pod, std::span<float> values) const = 0;
};
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(const Policy& policy);

/// score = tier(readiness) + w_a * affinity + w_p * packing for every passing row; kRefusedScore
/// for every other. Tiers are further apart than everything below them. padded_rows() long.
inline constexpr float kRefusedScore = -1.0F;
[[nodiscard]] std::vector<float> score(const CompiledPod& pod, const Verdicts& verdicts,
                                       const Policy& policy, const Strategy& strategy, Time now);

}  // namespace berth::placement
