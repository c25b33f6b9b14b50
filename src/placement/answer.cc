#include "berth/placement/answer.h"

#include <algorithm>
#include <limits>

#include "berth/placement/score.h"

namespace berth::placement {
namespace {

bool refused(const Candidate& candidate) { return candidate.score <= kRefusedScore; }

/// Null when all are refused.
const Candidate* winner_of(std::span<const Candidate> candidates) {
  std::size_t winner = candidates.size();
  float best = kRefusedScore;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    // One comparison turns away nearly everyone; refused ones come in no order to predict.
    if (candidate.score < best || refused(candidate)) continue;
    if (candidate.score > best || candidate.row < candidates[winner].row) {
      winner = i;
      best = candidate.score;
    }
  }
  return winner == candidates.size() ? nullptr : &candidates[winner];
}

float lowest_score(std::span<const Candidate> candidates) {
  float lowest = std::numeric_limits<float>::infinity();
  for (const auto& candidate : candidates) {
    const float score = refused(candidate) ? lowest : candidate.score;
    lowest = score < lowest ? score : lowest;
  }
  return lowest;
}

std::vector<RankedHost> graded(std::span<const Candidate> candidates) {
  std::vector<RankedHost> ranked(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) ranked[i].position = candidates[i].position;
  const Candidate* winner = winner_of(candidates);
  if (winner == nullptr) return ranked;

  const double lowest = lowest_score(candidates);
  const double range = static_cast<double>(winner->score) - lowest;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (range > 0) {
      // Refused ones are below the lowest: 0. No branch on them, their order is not predictable.
      const double above = std::max(0.0, static_cast<double>(candidates[i].score) - lowest);
      ranked[i].answer = std::min(kMaxAnswer - 1, static_cast<int>(kMaxAnswer * (above / range)));
    } else {
      ranked[i].answer = refused(candidates[i]) ? 0 : kMaxAnswer - 1;
    }
  }
  ranked[static_cast<std::size_t>(winner - candidates.data())].answer = kMaxAnswer;
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
