#include "berth/base/clock.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(FixedClock, StandsStill) {
  const Time moment{std::chrono::hours(42)};
  const FixedClock fixed(moment);
  const Clock& clock = fixed;
  EXPECT_TRUE(clock.now() == moment);
  EXPECT_TRUE(clock.now() == moment);
}

}  // namespace
}  // namespace berth
