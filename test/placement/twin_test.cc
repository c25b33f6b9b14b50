// The fast path against its slow, obvious twin.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "test/support/agreement.h"
#include "test/support/random_case.h"

namespace berth {
namespace {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

// Smaller where every step costs more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kPairs = 10'000;
#else
constexpr std::uint64_t kPairs = 100'000;
#endif
constexpr std::uint64_t kPodsPerCluster = 50;

// BERTH_TWIN_ROUNDS (cluster, pod) pairs from seed BERTH_TWIN_SEED on.
TEST(Placement, AgreesWithItsTwinOnRandomClustersAndPods) {
  const std::uint64_t first_seed = number_from_environment("BERTH_TWIN_SEED", 1);
  const std::uint64_t pairs = number_from_environment("BERTH_TWIN_ROUNDS", kPairs);
  for (std::uint64_t round = 0; round * kPodsPerCluster < pairs; ++round) {
    const std::uint64_t seed = first_seed + round;
    test_support::SeededChoices choices(seed);
    // Mostly small ones, which meet the edges; some longer than three words.
    const std::size_t max_nodes = round % 16 == 0 ? 200 : 12;
    const auto random = test_support::random_case(choices, max_nodes, kPodsPerCluster);
    ASSERT_EQ(test_support::first_disagreement(random), "")
        << "repeat with BERTH_TWIN_ROUNDS=1 BERTH_TWIN_SEED=" << seed;
  }
}

}  // namespace
}  // namespace berth
