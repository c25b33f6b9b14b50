/// From scores to the integers 0..10 that kube-scheduler takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/base/row_set.h"
#include "berth/placement/policy.h"

namespace berth::placement {

inline constexpr int kMaxAnswer = 10;

/// One node of a prioritize call: its place in the request and its score (kRefusedScore: none).
struct Candidate {
  std::uint32_t position = 0;
  Row row;
  float score = 0;
};
struct RankedHost {
  std::uint32_t position = 0;
  int answer = 0;
};

/// graded: every candidate in the given order, the winner alone with 10, others
/// min(9, floor(10 (s - min) / (max - min))), refused ones 0. decisive: the winner alone (nobody
/// when all are refused). Equal scores are decided by the lower row, berth's own order, then by the
/// earlier place. When all scores are equal: the winner 10, others 9.
[[nodiscard]] std::vector<RankedHost> answer(std::span<const Candidate> candidates,
                                             AnswerForm form);

}  // namespace berth::placement
