// Many requests at once while the cluster and the policy change under them.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fixture.h"
#include "test/harness/strict_reader.h"

namespace berth::service {
namespace {

constexpr int kAskers = 8;
constexpr int kQuestionsEach = 60;

TEST(Extender, AnswersManyAtOnceFromOneSnapshotEach) {
  ExtenderBench bench(at("2026-11-30T12:00:00Z"));
  // In one cluster both nodes are free, in the other both are full: an answer that mixes the two
  // passes one node.
  const std::string free = list_json({node_json("a", 4), node_json("b", 4)});
  const std::string full = list_json({node_json("a", 4), node_json("b", 4),
                                      bound_pod_json("x", "a", 4), bound_pod_json("y", "b", 4)});
  const placement::Policy graded;
  placement::Policy decisive;
  decisive.answer = placement::AnswerForm::kDecisive;
  const std::array clusters = {snapshot_of(free, graded.gpu, bench.clock.now()),
                               snapshot_of(full, graded.gpu, bench.clock.now())};
  const std::array policies = {std::make_shared<const placement::Policy>(graded),
                               std::make_shared<const placement::Policy>(decisive)};
  bench.snapshots.publish(clusters[0]);
  bench.policies.publish(policies[0]);

  const std::string names = args_json(1, R"("NodeNames":["a","b","ghost"])");
  const std::string nodes =
      args_json(1, R"("Nodes":{"items":[)" + node_json("a", 4) + "," + node_json("b", 4) + "]}");
  std::atomic<int> wrong = 0;
  std::atomic<int> asking = kAskers;
  std::vector<std::thread> askers;
  askers.reserve(kAskers);
  for (int asker = 0; asker < kAskers; ++asker) {
    askers.emplace_back([&, asker] {
      const std::string& body = asker % 2 == 0 ? names : nodes;
      for (int i = 0; i < kQuestionsEach; ++i) {
        const auto filtered = harness::read_filter(body, bench.filter(body).body);
        const bool all_or_nothing = filtered.passes.size() % 2 == 0;
        if (!filtered.violations.empty() || !all_or_nothing) ++wrong;
        if (bench.prioritize(body).status != 200) ++wrong;
      }
      --asking;
    });
  }
  for (std::size_t turn = 0; asking > 0; ++turn) {
    bench.snapshots.publish(clusters[turn % 2]);
    bench.policies.publish(policies[turn % 2]);
    std::this_thread::yield();
  }
  for (auto& asker : askers) asker.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(bench.observer.seen().size(), static_cast<std::size_t>(2 * kAskers * kQuestionsEach));
}

}  // namespace
}  // namespace berth::service
