#include "berth/placement/answer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "berth/placement/score.h"

namespace berth::placement {
namespace {

bool refused(const Candidate& candidate) { return candidate.score <= kRefusedScore; }

/// Null when all are refused.
const Candidate* winner_of(std::span<const Candidate> candidates) {
  const Candidate* winner = nullptr;
  for (const auto& candidate : candidates) {
    if (refused(candidate)) continue;
    const bool better = winner == nullptr || candidate.score > winner->score ||
                        (candidate.score == winner->score && candidate.row < winner->row);
    if (better) winner = &candidate;
  }
  return winner;
}

float lowest_score(std::span<const Candidate> candidates) {
  float lowest = std::numeric_limits<float>::infinity();
  for (const auto& candidate : candidates) {
    if (!refused(candidate)) lowest = std::min(lowest, candidate.score);
  }
  return lowest;
}

std::vector<RankedHost> graded(std::span<const Candidate> candidates) {
  const Candidate* winner = winner_of(candidates);
  const double lowest = lowest_score(candidates);
  const double range = winner == nullptr ? 0 : static_cast<double>(winner->score) - lowest;
  const auto grade = [&](const Candidate& candidate) {
    if (refused(candidate)) return 0;
    if (&candidate == winner) return kMaxAnswer;
    if (range == 0) return kMaxAnswer - 1;
    const double relative = (static_cast<double>(candidate.score) - lowest) / range;
    return std::min(kMaxAnswer - 1, static_cast<int>(std::floor(kMaxAnswer * relative)));
  };
  std::vector<RankedHost> ranked;
  ranked.reserve(candidates.size());
  for (const auto& candidate : candidates) ranked.push_back({candidate.position, grade(candidate)});
  return ranked;
}

}  // namespace

std::vector<RankedHost> answer(std::span<const Candidate> candidates, AnswerForm form) {
  if (form == AnswerForm::kGraded) return graded(candidates);
  const Candidate* winner = winner_of(candidates);
  if (winner == nullptr) return {};
  return {{winner->position, kMaxAnswer}};
}

}  // namespace berth::placement
