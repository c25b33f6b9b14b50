#include "berth/placement/policy.h"

#include <array>
#include <utility>

namespace berth::placement {
namespace {

template <typename Enum, std::size_t size>
using Words = std::array<std::pair<Enum, std::string_view>, size>;

constexpr Words<AffinityMode, 2> kModes = {
    {{AffinityMode::kSoft, "soft"}, {AffinityMode::kHard, "hard"}}};
constexpr Words<StrategyName, 2> kStrategies = {
    {{StrategyName::kPack, "pack"}, {StrategyName::kSpread, "spread"}}};
constexpr Words<AnswerForm, 2> kForms = {
    {{AnswerForm::kGraded, "graded"}, {AnswerForm::kDecisive, "decisive"}}};

template <typename Enum, std::size_t size>
std::optional<Enum> parse(const Words<Enum, size>& words, std::string_view text) {
  for (const auto& [value, word] : words) {
    if (word == text) return value;
  }
  return std::nullopt;
}

template <typename Enum, std::size_t size>
std::string_view word_of(const Words<Enum, size>& words, Enum wanted) {
  for (const auto& [value, word] : words) {
    if (value == wanted) return word;
  }
  return "unknown";
}

}  // namespace

std::optional<AffinityMode> parse_affinity_mode(std::string_view text) {
  return parse(kModes, text);
}
std::optional<StrategyName> parse_strategy(std::string_view text) {
  return parse(kStrategies, text);
}
std::optional<AnswerForm> parse_answer_form(std::string_view text) { return parse(kForms, text); }

std::string_view to_string(AffinityMode mode) { return word_of(kModes, mode); }
std::string_view to_string(StrategyName strategy) { return word_of(kStrategies, strategy); }
std::string_view to_string(AnswerForm form) { return word_of(kForms, form); }

}  // namespace berth::placement
