// What real kube-schedulers asked, answered from the cluster as it stood at that moment.
#include "test/harness/recorded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "fixture.h"
#include "test/harness/strict_reader.h"

namespace berth::service {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Pair;

// Half a minute after the recorded nodes were made: their labels are pending.
constexpr const char* kNow = "2026-11-30T13:00:00Z";

class RecordedRequests : public ::testing::TestWithParam<const char*> {
 protected:
  harness::Recording recording_ = harness::load_recording(BERTH_TEST_DATA "/requests", GetParam());
};

// kube-scheduler asks only about nodes that passed its own filters, so with no more pods than it
// knew, berth has no resource to miss on any of them.
TEST_P(RecordedRequests, LackNoResourceThatKubeSchedulerFound) {
  int judged = 0;
  for (std::size_t number = 0; number < recording_.requests.size(); ++number) {
    const auto& request = recording_.requests[number];
    if (request.verb != "filter") continue;
    SCOPED_TRACE(request.name);
    ExtenderBench bench(at(kNow));
    bench.publish(harness::cluster_at(recording_, number));
    const Reply reply = bench.filter(request.body);
    ASSERT_EQ(reply.status, 200) << reply.body;
    const auto reading = harness::read_filter(request.body, reply.body);
    EXPECT_THAT(reading.violations, IsEmpty()) << reply.body;
    EXPECT_THAT(reading.failed, IsEmpty()) << reply.body;
    // Only train-rich wants its GPU label (annotation "hard"), and the new nodes have none yet.
    EXPECT_THAT(reading.unresolvable, Each(Pair(::testing::_, "node(s) GPU label pending")));
    if (request.pod != "train-rich") {
      EXPECT_THAT(reading.unresolvable, IsEmpty()) << reply.body;
    }
    ++judged;
  }
  EXPECT_GE(judged, 9);
}

TEST_P(RecordedRequests, AreRankedWithoutAFault) {
  ExtenderBench bench(at(kNow));
  for (std::size_t number = 0; number < recording_.requests.size(); ++number) {
    const auto& request = recording_.requests[number];
    if (request.verb != "prioritize") continue;
    SCOPED_TRACE(request.name);
    bench.publish(harness::cluster_at(recording_, number));
    const Reply reply = bench.prioritize(request.body);
    ASSERT_EQ(reply.status, 200) << reply.body;
    const auto reading = harness::read_priorities(request.body, reply.body);
    EXPECT_THAT(reading.violations, IsEmpty()) << reply.body;
    if (request.pod == "web") {
      EXPECT_THAT(reading.winner(),
                  ::testing::Not(::testing::AnyOf("node-3", "node-7", "node-11", "node-12", "")));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schedulers, RecordedRequests,
                         ::testing::Values("v1.34.4/names", "v1.34.4/nodes", "v1.35.4/names",
                                           "v1.35.4/nodes", "v1.37.2/names", "v1.37.2/nodes"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace berth::service
