// A twin test proves nothing about what its cases never reach.
#include "test/support/random_case.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "berth/placement/score.h"
#include "test/support/naive_devices.h"
#include "test/support/naive_twin.h"

namespace berth::test_support {
namespace {

TEST(RandomCases, ReachEveryStageAndEveryTier) {
  std::map<placement::Stage, int> stages;
  std::map<int, int> tiers;
  int resolvable = 0;
  int passing = 0;
  std::map<std::pair<bool, bool>, int> devices;  // counted, allocated
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SeededChoices choices(seed);
    const RandomCase random = random_case(choices, 24, 25);
    const NaiveTwin twin(random);
    for (const auto& [earlier, node] : random.nodes) {
      const auto found = naive_devices(random.devices, node.name, "nvidia.com/gpu");
      if (found.devices > 0) ++devices[{true, found.allocated > 0}];
      if (found.uncounted || found.anywhere) ++devices[{false, false}];
    }
    for (const auto& pod : random.incoming) {
      for (const auto& [name, verdict] : twin.filter(pod)) {
        passing += verdict.passes ? 1 : 0;
        resolvable += verdict.resolvable ? 1 : 0;
        if (!verdict.passes) ++stages[verdict.stage];
      }
      for (const auto& [name, score] : twin.score(pod)) {
        ++tiers[static_cast<int>(std::floor(score / placement::kTierDistance))];
      }
    }
  }
  using placement::Stage;
  for (const auto stage :
       {Stage::kInvalidRequest, Stage::kCordon, Stage::kTaint, Stage::kNodeAffinity,
        Stage::kReconfiguring, Stage::kLabelPending, Stage::kLabelRule, Stage::kResource}) {
    EXPECT_GT(stages[stage], 20) << to_string(stage);
  }
  for (int tier = 0; tier <= 3; ++tier) EXPECT_GT(tiers[tier], 20) << tier;
  EXPECT_GT(resolvable, 100);
  EXPECT_GT(passing, 1000);
  EXPECT_GT((devices[{true, false}]), 20);
  EXPECT_GT((devices[{true, true}]), 20);
  EXPECT_GT((devices[{false, false}]), 20);
}

}  // namespace
}  // namespace berth::test_support
