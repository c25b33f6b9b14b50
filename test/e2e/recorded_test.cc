// Requests that real kube-schedulers sent, through the running program.
#include "test/harness/recorded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "test/e2e/fixture.h"

namespace berth::e2e {
namespace {

using ::testing::IsEmpty;

struct Recorded {
  const char* folder;
  const char* cluster;  ///< "before" or "after"
};
std::string name_of(const Recorded& recorded) {
  std::string name = std::string(recorded.folder) + "_" + recorded.cluster;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == '/'; }, '_');
  return name;
}
void PrintTo(const Recorded& recorded, std::ostream* out) { *out << name_of(recorded); }

class RecordedRequests : public EndToEnd, public ::testing::WithParamInterface<Recorded> {};

TEST_P(RecordedRequests, GetAnswersThatKubeSchedulerAccepts) {
  const auto recording = harness::load_recording(BERTH_TEST_DATA "/requests", GetParam().folder);
  start({"--cluster", recording.cluster_file(GetParam().cluster), "--now", "2026-11-30T13:00:00Z"});
  harness::Connection connection(berth_->port());  // one for all, as kube-scheduler does
  std::size_t judged = 0;
  for (const auto& request : recording.requests) {
    SCOPED_TRACE(request.name);
    if (request.verb == "bind" || request.verb == "preempt") {
      EXPECT_EQ(post("/" + request.verb, request.body).status, 404);  // verbs still to come
      continue;
    }
    const auto reply = connection.ask(harness::scheduler_request("/" + request.verb, request.body));
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->status, 200) << reply->body;
    const auto violations = request.verb == "filter"
                                ? harness::read_filter(request.body, reply->body).violations
                                : harness::read_priorities(request.body, reply->body).violations;
    EXPECT_THAT(violations, IsEmpty()) << reply->body;
    ++judged;
  }
  EXPECT_GE(judged, 11U);
}

INSTANTIATE_TEST_SUITE_P(
    Schedulers, RecordedRequests,
    ::testing::Values(Recorded{"v1.34.4/names", "before"}, Recorded{"v1.34.4/names", "after"},
                      Recorded{"v1.34.4/nodes", "before"}, Recorded{"v1.34.4/nodes", "after"},
                      Recorded{"v1.35.4/names", "before"}, Recorded{"v1.35.4/names", "after"},
                      Recorded{"v1.35.4/nodes", "before"}, Recorded{"v1.35.4/nodes", "after"},
                      Recorded{"v1.37.2/names", "before"}, Recorded{"v1.37.2/names", "after"},
                      Recorded{"v1.37.2/nodes", "before"}, Recorded{"v1.37.2/nodes", "after"},
                      Recorded{"v1.37.2/dra", "after"}),
    [](const auto& test) { return name_of(test.param); });

}  // namespace
}  // namespace berth::e2e
