/// What an operator decides about placing pods.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/model/gpu_policy.h"

namespace berth::placement {

/// Whether a missing GPU label costs rank (soft) or excludes (hard).
enum class AffinityMode { kSoft, kHard };
/// How nodes are ranked by resources.
enum class StrategyName { kPack, kSpread };
/// graded: every node 0..10; decisive: the winner alone, with 10.
enum class AnswerForm { kGraded, kDecisive };

[[nodiscard]] std::optional<AffinityMode> parse_affinity_mode(std::string_view text);
[[nodiscard]] std::optional<StrategyName> parse_strategy(std::string_view text);
[[nodiscard]] std::optional<AnswerForm> parse_answer_form(std::string_view text);
[[nodiscard]] std::string_view to_string(AffinityMode mode);
[[nodiscard]] std::string_view to_string(StrategyName strategy);
[[nodiscard]] std::string_view to_string(AnswerForm form);

struct ScoreWeights {
  // How the pod's preferred terms and the strategy share what is below the tiers, see score().
  float affinity = 1.0F;
  float packing = 1.0F;
  // the strategy's mean over resources
  float gpu = 5.0F;
  float cpu = 1.0F;
  float memory = 1.0F;
  friend bool operator==(const ScoreWeights&, const ScoreWeights&) = default;
};

/// Value type; the defaults are those of docs/configuration.md. Weights are finite, >= 0 and at
/// most 1000 (configuration refuses others).
struct Policy {
  model::GpuPolicy gpu;
  AffinityMode affinity_mode = AffinityMode::kSoft;
  std::string affinity_annotation = "berth/affinity";
  StrategyName strategy = StrategyName::kPack;
  AnswerForm answer = AnswerForm::kGraded;
  ScoreWeights weights;
  friend bool operator==(const Policy&, const Policy&) = default;
};

}  // namespace berth::placement
