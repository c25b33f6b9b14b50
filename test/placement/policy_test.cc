#include "berth/placement/policy.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "berth/placement/refusal.h"

namespace berth::placement {
namespace {

TEST(Policy, WordsAreReadAsTheyAreWritten) {
  for (const auto mode : {AffinityMode::kSoft, AffinityMode::kHard}) {
    EXPECT_EQ(parse_affinity_mode(to_string(mode)), mode);
  }
  for (const auto strategy : {StrategyName::kPack, StrategyName::kSpread}) {
    EXPECT_EQ(parse_strategy(to_string(strategy)), strategy);
  }
  for (const auto form : {AnswerForm::kGraded, AnswerForm::kDecisive}) {
    EXPECT_EQ(parse_answer_form(to_string(form)), form);
  }
}

TEST(Policy, OtherWordsAreNotRead) {
  for (const char* text : {"", "Soft", "hard ", "packed", "single!"}) {
    EXPECT_EQ(parse_affinity_mode(text), std::nullopt) << text;
    EXPECT_EQ(parse_strategy(text), std::nullopt) << text;
    EXPECT_EQ(parse_answer_form(text), std::nullopt) << text;
  }
}

TEST(Refusals, AreDistinctConstantSentencesWithoutPercentSigns) {
  std::set<std::string_view> sentences;
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < kAllStages.size(); ++i) {
    const Stage stage = kAllStages[i];
    EXPECT_EQ(static_cast<std::size_t>(stage), i) << "counters are found by it";
    EXPECT_EQ(reason_text(stage).find_first_of("%0123456789"), std::string_view::npos);
    EXPECT_TRUE(sentences.insert(reason_text(stage)).second) << reason_text(stage);
    EXPECT_TRUE(words.insert(to_string(stage)).second) << to_string(stage);
  }
}

}  // namespace
}  // namespace berth::placement
