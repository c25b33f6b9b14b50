#include "berth/placement/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "berth/placement/score.h"

namespace berth::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Candidates in the order given, each with the row of its place.
std::vector<Candidate> candidates_of(const std::vector<float>& scores) {
  std::vector<Candidate> candidates;
  for (const float score : scores) {
    const auto place = static_cast<std::uint32_t>(candidates.size());
    candidates.push_back({place, Row{place}, score});
  }
  return candidates;
}

std::vector<int> grades(const std::vector<Candidate>& candidates) {
  std::vector<int> result;
  std::uint32_t place = 0;
  for (const auto& [position, answer] : answer(candidates, AnswerForm::kGraded)) {
    EXPECT_EQ(position, candidates[place++].position);
    result.push_back(answer);
  }
  return result;
}

struct GradedCase {
  const char* name;
  std::vector<float> scores;
  std::vector<int> grades;
};
class Graded : public ::testing::TestWithParam<GradedCase> {};

TEST_P(Graded, GivesTheWinnerAloneTheTop) {
  EXPECT_EQ(grades(candidates_of(GetParam().scores)), GetParam().grades);
}

INSTANTIATE_TEST_SUITE_P(
    Answers, Graded,
    ::testing::Values(GradedCase{"Nobody", {}, {}}, GradedCase{"One", {0.0F}, {10}},
                      GradedCase{"OneRefused", {-1}, {0}},
                      GradedCase{"AllRefused", {-1, -1}, {0, 0}},
                      GradedCase{"Range", {0, 2.5F, 5, 7.5F, 10}, {0, 2, 5, 7, 10}},
                      GradedCase{"NearlyBest", {0, 9.999F, 10}, {0, 9, 10}},
                      GradedCase{"AllEqual", {3, 3, 3}, {10, 9, 9}},
                      GradedCase{"TwoBest", {1, 3, 3}, {0, 10, 9}},
                      GradedCase{"RefusedAreNotTheLowest", {-1, 5, 10}, {0, 0, 10}},
                      GradedCase{"OnlyOnePasses", {-1, 4, -1}, {0, 10, 0}},
                      GradedCase{"EqualAmongRefused", {-1, 4, 4}, {0, 10, 9}},
                      GradedCase{"TinyRange", {1, 1.0000001F}, {0, 10}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Answer, BreaksTiesByTheLowerRow) {
  const std::vector<Candidate> candidates = {{0, Row{7}, 5}, {1, Row{2}, 5}, {2, Row{3}, 5}};
  EXPECT_THAT(grades(candidates), ElementsAre(9, 10, 9));
}

TEST(Answer, GivesOneTopWhenANodeIsAskedTwice) {
  const std::vector<Candidate> candidates = {{0, Row{7}, 5}, {1, Row{7}, 5}};
  EXPECT_THAT(grades(candidates), ElementsAre(10, 9));
}

TEST(Answer, DecisivelyNamesTheWinnerAlone) {
  const auto ranked = answer(candidates_of({1, 8, -1, 8, 3}), AnswerForm::kDecisive);
  ASSERT_EQ(ranked.size(), 1U);
  EXPECT_EQ(ranked[0].position, 1U);
  EXPECT_EQ(ranked[0].answer, 10);
}

TEST(Answer, DecisivelyNamesNobodyWhenAllAreRefused) {
  EXPECT_THAT(answer(candidates_of({-1, -1}), AnswerForm::kDecisive), IsEmpty());
  EXPECT_THAT(answer({}, AnswerForm::kDecisive), IsEmpty());
}

}  // namespace
}  // namespace berth::placement
