// What goes over the wire besides good questions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/e2e/fixture.h"

namespace berth::e2e {
namespace {

using harness::Connection;
using harness::curl_request;
using ::testing::HasSubstr;

class Wire : public EndToEnd {
 protected:
  void SetUp() override {
    start({"--cluster", folder_.write("cluster.json", one_node_cluster(4))});
  }
};

TEST_F(Wire, KeepsAConnectionForManyRequests) {
  Connection connection(berth_->port());
  for (int i = 0; i < 50; ++i) {
    const auto reply =
        connection.ask(harness::scheduler_request("/filter", ask_for_a_gpu("\"a\"")));
    ASSERT_TRUE(reply) << i;
    ASSERT_EQ(reply->status, 200);
    ASSERT_EQ(reply->header("Content-Type"), "application/json");
    ASSERT_EQ(reply->header("Content-Encoding"), "");
  }
}

// take_reply() takes no reply without Content-Length, so each of these has one.
TEST_F(Wire, RefusesWhatItDoesNotServe) {
  EXPECT_EQ(post("/bind", "{}").status, 404);
  EXPECT_EQ(post("/preempt", "{}").status, 404);
  EXPECT_EQ(post("/", "{}").status, 404);
  EXPECT_EQ(post("/filter/", "{}").status, 404);
  EXPECT_EQ(post("/FILTER", "{}").status, 404);
  EXPECT_EQ(harness::get(berth_->port(), "/filter").status, 405);
  EXPECT_EQ(harness::get(berth_->port(), "/v1/prioritize").status, 405);
  EXPECT_EQ(harness::get(berth_->port(), "/metrics").status, 404);
  EXPECT_EQ(harness::post(berth_->admin_port(), "/filter", "{}").status, 404);
  EXPECT_EQ(harness::post(berth_->admin_port(), "/healthz", "").status, 405);
}

TEST_F(Wire, NamesTheFieldOfABadBody) {
  const auto reply = post("/filter", R"({"Pod":{},"NodeNames":[1]})");
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr(R"({"error":")"));
  EXPECT_THAT(reply.body, HasSubstr("NodeNames"));
  EXPECT_EQ(post("/prioritize", "").status, 400);
  EXPECT_EQ(post("/prioritize", "[[[[").status, 400);
}

TEST_F(Wire, RefusesACompressedBody) {
  const auto reply = Connection(berth_->port())
                         .ask(
                             "POST /filter HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\n"
                             "Content-Length: 2\r\n\r\n{}");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 415);
}

TEST_F(Wire, RefusesABodyAboveTheLimitBeforeItIsSent) {
  const auto reply =
      Connection(berth_->port())
          .ask("POST /filter HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 413);
}

TEST_F(Wire, AnswersHealthReadinessAndMetricsOnTheAdminSide) {
  EXPECT_EQ(admin("/healthz").status, 200);
  EXPECT_EQ(admin("/readyz").status, 200);
  const auto head = Connection(berth_->admin_port()).ask(curl_request("HEAD", "/healthz"), true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
  filter(ask_for_a_gpu("\"a\",\"ghost\""));
  filter(ask_for_a_gpu("\"ghost\""));
  EXPECT_EQ(post("/filter", "nonsense").status, 400);
  const auto page = admin("/metrics");
  EXPECT_THAT(page.header("Content-Type"), HasSubstr("text/plain"));
  const auto counted = [&](const std::string& labels) {
    return metric(page.body, "berth_requests_total{" + labels + "}");
  };
  EXPECT_EQ(counted(R"(outcome="ok",verb="filter")"), 1) << page.body;
  EXPECT_EQ(counted(R"(outcome="no_node",verb="filter")"), 1);
  EXPECT_EQ(counted(R"(outcome="bad_request",verb="filter")"), 1);
}

TEST_F(Wire, ServesManyConnectionsAtOnce) {
  std::vector<Connection> connections;
  connections.reserve(100);
  for (int i = 0; i < 100; ++i) connections.emplace_back(berth_->port());
  const std::string request = harness::scheduler_request("/filter", ask_for_a_gpu("\"a\""));
  for (auto& connection : connections) ASSERT_TRUE(connection.send(request));
  for (auto& connection : connections) {
    const auto reply = connection.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
  }
}

}  // namespace
}  // namespace berth::e2e
