// The story that berth must get right, on deploy/story, asked as a person with curl asks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "test/e2e/fixture.h"

namespace berth::e2e {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr const char* kNoGpu = "Insufficient nvidia.com/gpu";
constexpr const char* kAffinity = "node(s) didn't match Pod's node affinity/selector";

class Story : public EndToEnd {
 protected:
  void SetUp() override { start_on_the_story(); }

  static std::string body_of(const char* file) {
    return harness::read_file(std::string(kStory) + file);
  }
  /// The soft request with one text in it replaced, which must be there.
  static std::string soft_but(const std::string& what, const std::string& with) {
    std::string body = body_of("soft.json");
    const std::size_t found = body.find(what);
    EXPECT_NE(found, body.npos) << what;
    return found == body.npos ? body : body.replace(found, what.size(), with);
  }
};

TEST_F(Story, OriginalPodIsRefusedEverywhereForTheRightReasons) {
  const auto reading = filter(body_of("hard.json"));
  EXPECT_THAT(reading.passes, IsEmpty());
  EXPECT_THAT(reading.failed,
              ElementsAre(Pair("node-3", "Insufficient memory"), Pair("node-7", kNoGpu)));
  EXPECT_THAT(reading.unresolvable, SizeIs(10));
  EXPECT_THAT(reading.unresolvable, Each(Pair(::testing::_, kAffinity)));
}

TEST_F(Story, SoftenedPodPassesWhereThereIsRoomAndNeverWithoutAGpu) {
  const auto reading = filter(body_of("soft.json"));
  EXPECT_THAT(reading.passes, ElementsAre("node-3", "node-11", "node-12"));
  EXPECT_THAT(reading.failed, ElementsAre(Pair("node-7", kNoGpu)));
  EXPECT_THAT(reading.unresolvable, SizeIs(8));
  EXPECT_THAT(reading.unresolvable, Each(Pair(::testing::_, kNoGpu)));
}

TEST_F(Story, SoftenedPodIsPackedOntoTheLabelledNodeWithRoom) {
  const auto reading = prioritize(body_of("soft.json"));
  EXPECT_EQ(reading.winner(), "node-3");
  for (const char* refused : {"node-1", "node-5", "node-7", "node-10"}) {
    EXPECT_EQ(reading.score(refused), 0) << refused;
  }
}

TEST_F(Story, SofteningAloneIsAFix) {
  const std::string body = soft_but(R"("memory": "24Gi")", R"("memory": "32Gi")");
  EXPECT_THAT(filter(body).passes, ElementsAre("node-11", "node-12"));
  EXPECT_EQ(prioritize(body).winner(), "node-11");  // where a GPU is taken already
}

TEST_F(Story, AskingForLessAloneIsAFix) {
  std::string body = body_of("hard.json");
  for (const auto& [what, with] :
       {std::pair<std::string, std::string>{R"("cpu": "8")", R"("cpu": "6")"},
        {R"("memory": "32Gi")", R"("memory": "24Gi")"}}) {
    ASSERT_NE(body.find(what), body.npos);
    body.replace(body.find(what), what.size(), with);
  }
  EXPECT_THAT(filter(body).passes, ElementsAre("node-3"));
}

TEST_F(Story, HardModeWaitsForTheLabelOfTheNewNodes) {
  const std::string body = body_of("hard-mode.json");
  EXPECT_EQ(nlohmann::json::parse(body)["Pod"]["spec"],
            nlohmann::json::parse(body_of("soft.json"))["Pod"]["spec"]);
  const auto reading = filter(body);
  EXPECT_THAT(reading.passes, ElementsAre("node-3"));
  EXPECT_EQ(reading.unresolvable.at("node-11"), "node(s) GPU label pending");
  EXPECT_EQ(reading.unresolvable.at("node-12"), "node(s) GPU label pending");
}

TEST_F(Story, IsToldByTheMetrics) {
  const auto page = admin("/metrics");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(metric(page.body, R"(berth_nodes{readiness="ready"})"), 2);
  EXPECT_EQ(metric(page.body, R"(berth_nodes{readiness="label-pending"})"), 2);
  EXPECT_EQ(metric(page.body, R"(berth_nodes{readiness="not-gpu"})"), 8);
}

TEST_F(Story, HasTheSameAnswersUnderV1) {
  const std::string body = body_of("soft.json");
  EXPECT_EQ(post("/v1/filter", body).body, post("/filter", body).body);
  EXPECT_EQ(post("/v1/prioritize", body).body, post("/prioritize", body).body);
}

// Grace is ten minutes and node-11 joined at 11:56:00.
struct Moment {
  const char* name;
  const char* now;
  const char* reason;
};
void PrintTo(const Moment& moment, std::ostream* out) { *out << moment.name; }

class StoryAt : public EndToEnd, public ::testing::WithParamInterface<Moment> {};

TEST_P(StoryAt, IsJudgedAsOfNow) {
  start({"--cluster", std::string(kStory) + "cluster.yaml", "--now", GetParam().now});
  const std::string body = harness::read_file(std::string(kStory) + "hard-mode.json");
  EXPECT_EQ(filter(body).unresolvable.at("node-11"), GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    Moments, StoryAt,
    ::testing::Values(
        Moment{"JustJoined", "2026-11-30T11:56:00Z", "node(s) GPU label pending"},
        Moment{"EndOfGrace", "2026-11-30T12:05:59Z", "node(s) GPU label pending"},
        Moment{"GraceOver", "2026-11-30T12:06:00Z", "node(s) didn't match the GPU label rule"},
        Moment{"OtherZone", "2026-11-30T13:05:59+01:00", "node(s) GPU label pending"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace berth::e2e
