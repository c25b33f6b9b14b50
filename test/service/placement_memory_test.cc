#include "berth/service/placement_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::service {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Time kStart{std::chrono::hours(1)};

class PlacementMemoryTest : public ::testing::Test {
 protected:
  std::vector<std::string> expected_nodes(std::string_view pod, Time now) {
    std::vector<std::string> names;
    for (const auto& use : memory_.recall(pod, now).expected) names.push_back(use.node_name);
    return names;
  }
  std::vector<std::string> behind(std::string_view pod, Time now) {
    return memory_.recall(pod, now).behind;
  }
  /// A pod that is asked about and named a node.
  void place(std::string_view pod, std::string_view node, Time now) {
    (void)memory_.recall(pod, now);
    memory_.named(pod, node, {{"nvidia.com/gpu", 1}}, now);
  }
  std::vector<ExpectationEnd> ends_;
  PlacementMemoryOptions options_;
  PlacementMemory memory_{options_, [this](ExpectationEnd end) { ends_.push_back(end); }};
};

TEST_F(PlacementMemoryTest, ExpectsWhatWasNamedUntilASnapshotHasIt) {
  place("p", "a", kStart);
  const auto recollection = memory_.recall("q", kStart);
  ASSERT_THAT(recollection.expected, SizeIs(1));
  EXPECT_EQ(recollection.expected[0].node_name, "a");
  EXPECT_THAT(recollection.expected[0].uses,
              ElementsAre(cluster::HeldResource{"nvidia.com/gpu", 1}));
  memory_.bound("p", "a");
  EXPECT_THAT(expected_nodes("q", kStart), ElementsAre("a"));  // no snapshot has it yet
  memory_.published();
  EXPECT_THAT(expected_nodes("q", kStart), IsEmpty());
  EXPECT_THAT(ends_, ElementsAre(ExpectationEnd::kRight));
}

TEST_F(PlacementMemoryTest, SaysHowOftenItWasRight) {
  place("p", "a", kStart);
  place("q", "a", kStart);
  memory_.bound("p", "b");
  memory_.bound("q", "a");
  memory_.bound("unknown", "a");
  memory_.bound("p", "b");  // told twice
  EXPECT_THAT(ends_, ElementsAre(ExpectationEnd::kWrong, ExpectationEnd::kRight));
}

TEST_F(PlacementMemoryTest, ForgetsAnExpectationInTime) {
  place("p", "a", kStart);
  EXPECT_THAT(expected_nodes("q", kStart + seconds(5) - Duration(1)), ElementsAre("a"));
  EXPECT_THAT(expected_nodes("q", kStart + seconds(5)), IsEmpty());
  EXPECT_THAT(ends_, ElementsAre(ExpectationEnd::kExpired));
}

TEST_F(PlacementMemoryTest, IsBounded) {
  for (std::size_t i = 0; i < options_.expected + 3; ++i) {
    memory_.named("p" + std::to_string(i), "a", {}, kStart);
  }
  EXPECT_EQ(memory_.expected(), options_.expected);
  EXPECT_THAT(ends_, SizeIs(3));
  for (std::size_t i = 0; i < options_.pods + 3; ++i) {
    memory_.named("q" + std::to_string(i), "b", {}, kStart + Duration(i + 1));
  }
  EXPECT_THAT(behind("q0", kStart + seconds(1)), IsEmpty());  // forgotten: it is the oldest
  EXPECT_THAT(behind("q" + std::to_string(options_.pods), kStart + seconds(1)), ElementsAre("b"));
}

TEST_F(PlacementMemoryTest, ANodeStepsBehindForThePodThatCameBack) {
  place("p", "a", kStart);
  EXPECT_THAT(behind("p", kStart + seconds(2)), ElementsAre("a"));
  EXPECT_THAT(ends_, ElementsAre(ExpectationEnd::kReturned));
  EXPECT_THAT(behind("q", kStart + seconds(2)), IsEmpty());
  // Asked again without an answer in between: nothing new was named, nothing returned.
  EXPECT_THAT(behind("p", kStart + seconds(3)), ElementsAre("a"));
  EXPECT_THAT(behind("p", kStart + seconds(12) - Duration(1)), ElementsAre("a"));
  EXPECT_THAT(behind("p", kStart + seconds(12)), IsEmpty());
}

TEST_F(PlacementMemoryTest, StaysBehindLongerWithEachReturn) {
  Time now = kStart;
  Duration step = seconds(10);
  for (int returns = 0; returns < 8; ++returns) {
    place("p", "a", now);
    now += seconds(1);
    EXPECT_THAT(behind("p", now), ElementsAre("a"));
    EXPECT_THAT(behind("p", now + step - Duration(1)), ElementsAre("a"));
    EXPECT_THAT(behind("p", now + step), IsEmpty());
    now += step;
    step = std::min<Duration>(step * 2, minutes(5));
  }
}

TEST_F(PlacementMemoryTest, SeveralNodesStepBehind) {
  place("p", "a", kStart);
  place("p", "b", kStart + seconds(1));
  EXPECT_THAT(behind("p", kStart + seconds(2)), ElementsAre("a", "b"));
}

TEST_F(PlacementMemoryTest, APodThatWasBoundDidNotComeBack) {
  place("p", "a", kStart);
  memory_.bound("p", "a");
  EXPECT_THAT(behind("p", kStart + seconds(1)), IsEmpty());
}

}  // namespace
}  // namespace berth::service
