#include "berth/placement/score.h"

#include <utility>

#include "kernel.h"
#include "packing.h"

namespace berth::placement {
namespace {

/// Tiers 0..3 as two bit planes.
struct Tiers {
  RowSet high;
  RowSet low;
};

/// ready 3, label-pending 2, unlabelled 1, leaving 0.
Tiers tiers_of_gpu_pod(const cluster::Topology& topology, Time now) {
  RowSet ready = topology.gpus_allocatable();
  ready &= topology.label_rule_holds();
  RowSet pending = topology.label_pending(now);

  Tiers tiers{ready, pending.complement()};
  tiers.high |= pending;
  tiers.high -= topology.leaving();
  tiers.low -= topology.leaving();
  return tiers;
}

/// No sign of GPUs 2, GPU nodes 1, leaving 0.
Tiers tiers_of_other_pod(const cluster::Topology& topology) {
  Tiers tiers{topology.gpu_sign().complement(), topology.gpu_sign()};
  tiers.high -= topology.leaving();
  tiers.low -= topology.leaving();
  return tiers;
}

/// Sums of preferred weights by row, and the largest on a passing row.
struct AffinitySums {
  std::vector<std::int32_t> sums;
  std::int32_t largest = 0;
};

AffinitySums affinity_sums(const CompiledPod& pod, const RowSet& passing) {
  AffinitySums result;
  if (pod.preferred.empty()) return result;
  result.sums.assign(pod.snapshot->topology().padded_rows(), 0);
  for (const auto& [weight, rows] : pod.preferred) {
    kernel::add_weight(rows.data(), weight, result.sums.data(), rows.word_count());
  }
  result.largest = kernel::largest(result.sums.data(), passing.data(), passing.word_count());
  return result;
}

}  // namespace

std::unique_ptr<Strategy> make_strategy(const Policy& policy) {
  switch (policy.strategy) {
    case StrategyName::kPack:
      return std::make_unique<Pack>(policy.weights);
    case StrategyName::kSpread:
      return std::make_unique<Spread>(policy.weights);
  }
  return std::make_unique<Pack>(policy.weights);
}

std::vector<float> score(const CompiledPod& pod, const Verdicts& verdicts, const Policy& policy,
                         const Strategy& strategy, Time now) {
  const cluster::Topology& topology = pod.snapshot->topology();
  const RowSet& passing = verdicts.passing();
  const Tiers tiers = pod.gpu_pod ? tiers_of_gpu_pod(topology, now) : tiers_of_other_pod(topology);
  const AffinitySums affinity = affinity_sums(pod, passing);
  // Terms that match no passing row say nothing about any of them.
  const bool has_affinity = affinity.largest > 0;
  const float affinity_weight = has_affinity ? policy.weights.affinity : 0.0F;
  const float total = affinity_weight + policy.weights.packing;
  const float reciprocal = total > 0 ? 1.0F / total : 0.0F;

  std::vector<float> values(topology.padded_rows());
  strategy.rank(pod, passing, values);
  const kernel::ScoreParts parts{
      .passing = passing.data(),
      .tier_high = tiers.high.data(),
      .tier_low = tiers.low.data(),
      .affinity_sums = has_affinity ? affinity.sums.data() : nullptr,
      .affinity_scale = has_affinity ? 1.0F / static_cast<float>(affinity.largest) : 0.0F,
      .affinity_share = affinity_weight * reciprocal,
      .packing_share = policy.weights.packing * reciprocal,
      .tier_distance = kTierDistance,
      .refused = kRefusedScore};
  kernel::combine(parts, values.data(), passing.word_count());
  return values;
}

float behind(float score) {
  // Scores are in [0, 3 * kTierDistance + 1].
  constexpr float kScale = 1.0F / 16.0F;
  return score <= kRefusedScore ? score : score * kScale + kRefusedScore / 2.0F;
}

}  // namespace berth::placement
