#include "berth/telemetry/rate_limit.h"

#include <gtest/gtest.h>

namespace berth::telemetry {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RateLimit, AdmitsABurstPerWindow) {
  RateLimit limit(2, seconds(10));
  const RateLimit::Moment start{};
  EXPECT_EQ(limit.admit(start), 0U);
  EXPECT_EQ(limit.admit(start), 0U);
  EXPECT_EQ(limit.admit(start), std::nullopt);
  EXPECT_EQ(limit.admit(start + milliseconds(9999)), std::nullopt);
}

TEST(RateLimit, TellsHowManyItSuppressed) {
  RateLimit limit(1, seconds(10));
  const RateLimit::Moment start{};
  EXPECT_EQ(limit.admit(start), 0U);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(limit.admit(start + seconds(1)), std::nullopt);
  EXPECT_EQ(limit.admit(start + seconds(10)), 5U);
  EXPECT_EQ(limit.admit(start + seconds(20)), 0U);
}

}  // namespace
}  // namespace berth::telemetry
