// One decision over all nodes of a cluster: each step, filter + score together, and the way of a
// plain extender (map_twin.h) with the same cluster and pod.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "berth/cluster/state.h"
#include "berth/placement/answer.h"
#include "berth/placement/compiled_pod.h"
#include "berth/placement/filter.h"
#include "berth/placement/score.h"
#include "test/bench/map_twin.h"

namespace {

using namespace berth;  // NOLINT(google-build-using-namespace)

constexpr Time kNow{std::chrono::hours(24 * 365 * 56)};

model::Node node_number(std::size_t number, std::mt19937_64& random) {
  model::Node node;
  node.name = "gke-inference-pool-" + std::to_string(100'000 + number);
  node.uid = node.name;
  node.creation_time = kNow - std::chrono::hours(24);
  for (int label = 0; label < 12; ++label) {
    node.labels.set("example.com/label-" + std::to_string(label), std::to_string(label));
  }
  node.labels.set("kubernetes.io/hostname", node.name);
  node.labels.set("topology.kubernetes.io/zone", "zone-" + std::to_string(number % 3));
  if (random() % 100 < 75) node.labels.set("gpu", "true");
  node.unschedulable = random() % 100 == 0;
  if (random() % 50 == 0) node.taints = {{"dedicated", "x", model::TaintEffect::kNoSchedule}};
  node.allocatable = {{"cpu", model::Quantity::from_units(96)},
                      {"memory", model::Quantity::from_units(std::int64_t{1} << 40)},
                      {"ephemeral-storage", model::Quantity::from_units(std::int64_t{1} << 41)},
                      {"nvidia.com/gpu", model::Quantity::from_units(8)},
                      {"pods", model::Quantity::from_units(110)}};
  node.capacity = node.allocatable;
  return node;
}

model::Pod gpu_pod(std::int64_t gpus, std::int64_t cpus) {
  model::Pod pod;
  pod.name = "inference";
  pod.containers.emplace_back().requests = {{"cpu", model::Quantity::from_units(cpus)},
                                            {"memory", model::Quantity::from_units(cpus << 32)},
                                            {"nvidia.com/gpu", model::Quantity::from_units(gpus)}};
  return pod;
}

/// Everything a benchmark of one size needs, made once.
struct Fixture {
  std::shared_ptr<const cluster::Snapshot> snapshot;
  placement::Policy policy;
  std::unique_ptr<placement::Strategy> strategy = placement::make_strategy(policy);
  model::Pod pod = gpu_pod(1, 6);
  placement::CompiledPod compiled;
  std::vector<std::string> names;
  std::unique_ptr<bench::MapTwin> map_twin;

  explicit Fixture(std::size_t nodes) {
    std::mt19937_64 random(nodes);
    cluster::ClusterState state(policy.gpu);
    for (std::size_t i = 0; i < nodes; ++i) {
      state.upsert_node(node_number(i, random), kNow);
      model::Pod bound = gpu_pod(static_cast<std::int64_t>(random() % 10),
                                 static_cast<std::int64_t>(random() % 96));
      bound.uid = "pod-" + std::to_string(i);
      bound.node_name = "gke-inference-pool-" + std::to_string(100'000 + i);
      names.push_back(bound.node_name);
      state.upsert_pod(bound);
    }
    snapshot = state.snapshot(kNow);
    compiled = placement::compile(pod, policy, snapshot);
    map_twin = std::make_unique<bench::MapTwin>(*snapshot);
    require_agreement();
  }

  [[nodiscard]] std::vector<float> filter_and_score() const {
    return placement::score(compiled, placement::filter(compiled, kNow), policy, *strategy, kNow);
  }

  /// A comparison of speed with something that decides otherwise would say nothing.
  void require_agreement() const {
    const auto scores = filter_and_score();
    const auto decision = map_twin->decide(pod, names);
    for (const auto& name : names) {
      const float score = scores[snapshot->topology().find(name)->index];
      const auto at = decision.scores.find(name);
      const float twin = at == decision.scores.end() ? placement::kRefusedScore : at->second;
      if (std::abs(score - twin) < 1e-4F) continue;
      std::fprintf(stderr, "%s: score %f, map twin %f\n", name.c_str(), score, twin);
      std::abort();
    }
  }
};

const Fixture& fixture(const benchmark::State& state) {
  static std::map<std::int64_t, std::unique_ptr<Fixture>> made;
  auto& entry = made[state.range(0)];
  if (!entry) entry = std::make_unique<Fixture>(static_cast<std::size_t>(state.range(0)));
  return *entry;
}

void count_nodes(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_Compile(benchmark::State& state) {
  const Fixture& with = fixture(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(placement::compile(with.pod, with.policy, with.snapshot));
  }
  count_nodes(state);
}

void BM_Filter(benchmark::State& state) {
  const Fixture& with = fixture(state);
  for (auto _ : state) benchmark::DoNotOptimize(placement::filter(with.compiled, kNow));
  count_nodes(state);
}

void BM_Score(benchmark::State& state) {
  const Fixture& with = fixture(state);
  const auto verdicts = placement::filter(with.compiled, kNow);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        placement::score(with.compiled, verdicts, with.policy, *with.strategy, kNow));
  }
  count_nodes(state);
}

void BM_FilterAndScore(benchmark::State& state) {
  const Fixture& with = fixture(state);
  for (auto _ : state) benchmark::DoNotOptimize(with.filter_and_score());
  count_nodes(state);
}

std::vector<placement::Candidate> candidates_of(const std::vector<float>& scores,
                                                std::size_t rows) {
  std::vector<placement::Candidate> candidates;
  candidates.reserve(rows);
  for (std::uint32_t row = 0; row < rows; ++row) candidates.push_back({row, Row{row}, scores[row]});
  return candidates;
}

void BM_AnswerGraded(benchmark::State& state) {
  const Fixture& with = fixture(state);
  const auto candidates = candidates_of(with.filter_and_score(), with.snapshot->rows());
  for (auto _ : state) {
    benchmark::DoNotOptimize(placement::answer(candidates, placement::AnswerForm::kGraded));
  }
  count_nodes(state);
}

void BM_WholeDecision(benchmark::State& state) {
  const Fixture& with = fixture(state);
  for (auto _ : state) {
    const auto compiled = placement::compile(with.pod, with.policy, with.snapshot);
    const auto verdicts = placement::filter(compiled, kNow);
    const auto scores = placement::score(compiled, verdicts, with.policy, *with.strategy, kNow);
    const auto candidates = candidates_of(scores, with.snapshot->rows());
    benchmark::DoNotOptimize(placement::answer(candidates, placement::AnswerForm::kGraded));
  }
  count_nodes(state);
}

void BM_MapTwinFilterAndScore(benchmark::State& state) {
  const Fixture& with = fixture(state);
  for (auto _ : state) benchmark::DoNotOptimize(with.map_twin->decide(with.pod, with.names));
  count_nodes(state);
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1'500)->Arg(5'000)->Arg(65'000)->Unit(benchmark::kMicrosecond);
}
BENCHMARK(BM_Compile)->Apply(sizes);
BENCHMARK(BM_Filter)->Apply(sizes);
BENCHMARK(BM_Score)->Apply(sizes);
BENCHMARK(BM_FilterAndScore)->Apply(sizes);
BENCHMARK(BM_AnswerGraded)->Apply(sizes);
BENCHMARK(BM_WholeDecision)->Apply(sizes);
BENCHMARK(BM_MapTwinFilterAndScore)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
