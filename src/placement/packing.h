/// Strategies that rank by how much of a node is used after placing the pod.
#pragma once

#include "berth/placement/score.h"

namespace berth::placement {

/// Most used first: the weighted mean of used fractions over the GPU resources that the pod asks
/// for, cpu and memory; resources that the node does not have are left out.
class Pack final : public Strategy {
 public:
  explicit Pack(const ScoreWeights& weights) : weights_(weights) {}
  void rank(const CompiledPod& pod, const RowSet& passing, std::span<float> values) const override;

 private:
  ScoreWeights weights_;
};

/// Least used first.
class Spread final : public Strategy {
 public:
  explicit Spread(const ScoreWeights& weights) : pack_(weights) {}
  void rank(const CompiledPod& pod, const RowSet& passing, std::span<float> values) const override;

 private:
  Pack pack_;
};

}  // namespace berth::placement
