#include "test/support/agreement.h"

#include <map>
#include <memory>
#include <vector>

#include "berth/cluster/snapshot.h"
#include "berth/placement/answer.h"
#include "berth/placement/compiled_pod.h"
#include "berth/placement/filter.h"
#include "berth/placement/score.h"
#include "test/support/naive_twin.h"

namespace berth::test_support {
namespace {

std::string words(bool passes, std::string_view reason, bool resolvable) {
  if (passes) return "passes";
  return std::string(reason) + (resolvable ? " (resolvable)" : " (unresolvable)");
}

std::string compare_verdicts(const placement::CompiledPod& compiled,
                             const placement::Verdicts& verdicts,
                             const std::map<std::string, TwinVerdict>& twin) {
  for (const auto& [name, expected] : twin) {
    const auto row = compiled.snapshot->topology().find(name);
    if (!row) return name + ": not in the snapshot";
    const bool passes = verdicts.passes(*row);
    const auto refusal = passes ? placement::Refusal{} : verdicts.refusal(*row, compiled);
    const std::string got = words(passes, refusal.reason, refusal.resolvable);
    const std::string want = words(expected.passes, expected.reason, expected.resolvable);
    if (got != want || (!passes && refusal.stage != expected.stage)) {
      std::string difference = name;
      difference += ": ";
      difference += got;
      difference += ", twin: ";
      difference += want;
      return difference;
    }
  }
  return {};
}

std::string compare_scores(const placement::CompiledPod& compiled, const std::vector<float>& scores,
                           const std::map<std::string, float>& twin) {
  const auto& topology = compiled.snapshot->topology();
  for (std::uint32_t row = 0; row < topology.padded_rows(); ++row) {
    float expected = placement::kRefusedScore;
    if (row < topology.rows()) {
      const auto at = twin.find(topology.node(Row{row}).name);
      if (at != twin.end()) expected = at->second;
    }
    if (scores[row] != expected) {  // to the last bit
      return "row " + std::to_string(row) + ": score " + std::to_string(scores[row]) +
             ", twin: " + std::to_string(expected);
    }
  }
  return {};
}

std::string compare_answers(const placement::CompiledPod& compiled,
                            const std::vector<float>& scores, const NaiveTwin& naive,
                            const std::map<std::string, float>& twin,
                            const std::vector<std::string>& names) {
  std::vector<placement::Candidate> candidates;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    const Row row = *compiled.snapshot->topology().find(names[i]);
    candidates.push_back({i, row, scores[row.index]});
  }
  for (const auto form : {placement::AnswerForm::kGraded, placement::AnswerForm::kDecisive}) {
    std::vector<TwinHost> hosts;
    for (const auto& [position, answer] : placement::answer(candidates, form)) {
      hosts.push_back({names[position], answer});
    }
    if (hosts != naive.answer(twin, names, form)) {
      return "the " + std::string(placement::to_string(form)) + " answers differ";
    }
  }
  return {};
}

std::string compare(const RandomCase& random, const NaiveTwin& naive,
                    const std::shared_ptr<const cluster::Snapshot>& snapshot,
                    const model::Pod& pod) {
  const auto compiled = placement::compile(pod, random.policy, snapshot);
  const auto verdicts = placement::filter(compiled, random.now);
  std::string difference = compare_verdicts(compiled, verdicts, naive.filter(pod));
  if (!difference.empty()) return difference;

  const auto strategy = placement::make_strategy(random.policy);
  const auto scores = placement::score(compiled, verdicts, random.policy, *strategy, random.now);
  const auto twin = naive.score(pod);
  difference = compare_scores(compiled, scores, twin);
  if (!difference.empty()) return difference;

  std::vector<std::string> names;
  for (const auto& [earlier, node] : random.nodes) names.push_back(node.name);
  return compare_answers(compiled, scores, naive, twin, names);
}

}  // namespace

std::string first_disagreement(const RandomCase& random) {
  const auto snapshot = state_of(random).snapshot(random.now);
  const NaiveTwin naive(random);
  for (const auto& pod : random.incoming) {
    const std::string difference = compare(random, naive, snapshot, pod);
    if (!difference.empty()) return pod.name + ": " + difference;
  }
  return {};
}

}  // namespace berth::test_support
