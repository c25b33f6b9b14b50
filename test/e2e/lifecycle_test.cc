// How the program starts, refuses to start, and ends.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "test/e2e/fixture.h"

namespace berth::e2e {
namespace {

using ::testing::HasSubstr;

class Lifecycle : public EndToEnd {
 protected:
  std::string cluster_ = folder_.write("cluster.json", one_node_cluster(4));
};

void expect_one_line(const std::string& complaint, const std::string& part) {
  EXPECT_THAT(complaint, HasSubstr(part));
  EXPECT_EQ(std::count(complaint.begin(), complaint.end(), '\n'), 1) << complaint;
}

TEST_F(Lifecycle, SaysWhereItListens) {
  start({"--cluster", cluster_});
  EXPECT_THAT(berth_->process().standard_output(),
              ::testing::MatchesRegex("listening on http://127\\.0\\.0\\.1:[0-9]+\n"
                                      "admin on http://127\\.0\\.0\\.1:[0-9]+\n"));
}

TEST_F(Lifecycle, EndsWellOnTheSignalsOfOrchestratorsAndPeople) {
  for (const int number : {SIGTERM, SIGINT}) {
    start({"--cluster", cluster_});
    berth_->process().signal(number);
    EXPECT_EQ(berth_->process().wait_for_exit(), 0);
  }
}

TEST_F(Lifecycle, EndsWellWhileItIsStillStarting) {
  const std::string pipe = folder_.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const int number : {SIGTERM, SIGINT}) {
    harness::Berth starting(BERTH_PROGRAM, {"--cluster", pipe});
    // A writer gets in once berth reads; it then says nothing.
    int writer = -1;
    ASSERT_TRUE(eventually([&] {
      writer = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      return writer >= 0;
    }));
    starting.process().signal(number);
    EXPECT_EQ(starting.process().wait_for_exit(), 0) << starting.process().standard_error();
    ::close(writer);
  }
}

TEST_F(Lifecycle, ReadsTheClusterFromAPipe) {
  const std::string pipe = folder_.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  berth_ =
      std::make_unique<harness::Berth>(BERTH_PROGRAM, std::vector<std::string>{"--cluster", pipe});
  std::ofstream(pipe) << one_node_cluster(4);  // opening waits for the reader
  ASSERT_TRUE(berth_->wait_until_listening()) << berth_->process().standard_error();
  EXPECT_THAT(filter(ask_for_a_gpu("\"a\"")).passes, ::testing::ElementsAre("a"));
}

TEST_F(Lifecycle, FinishesARunningRequestBeforeItEnds) {
  start({"--cluster", cluster_});
  const std::string body = ask_for_a_gpu("\"a\"");
  harness::Connection running(berth_->port());
  // The 100 says that berth has read the head and waits for the body.
  ASSERT_TRUE(
      running.send("POST /filter HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                   "Content-Length: " +
                   std::to_string(body.size()) + "\r\n\r\n"));
  ASSERT_EQ(running.receive_interim(), 100);
  ASSERT_TRUE(running.send(body.substr(0, body.size() / 2)));

  berth_->process().signal(SIGTERM);
  EXPECT_TRUE(eventually([&] { return !harness::Connection(berth_->port()).connected(); }));
  EXPECT_TRUE(berth_->process().running());
  const auto reply = running.ask(body.substr(body.size() / 2));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->header("Connection"), "close");
  EXPECT_THAT(harness::read_filter(body, reply->body).passes, ::testing::ElementsAre("a"));
  EXPECT_EQ(berth_->process().wait_for_exit(), 0);
}

TEST_F(Lifecycle, EndsThoughIdleClientsHoldConnections) {
  start({"--cluster", cluster_});
  harness::Connection idle(berth_->port());
  ASSERT_TRUE(idle.ask(harness::scheduler_request("/filter", ask_for_a_gpu("\"a\""))));
  const harness::Connection silent(berth_->port());
  ASSERT_TRUE(silent.connected());
  EXPECT_EQ(berth_->stop(), 0);
}

TEST_F(Lifecycle, DoesNotStartWithoutAReadableCluster) {
  std::string complaint;
  EXPECT_EQ(run_to_its_end({"--cluster", folder_.path("missing.json")}, complaint), 1);
  expect_one_line(complaint, "missing.json");
  EXPECT_EQ(run_to_its_end({"--cluster", folder_.write("bad.json", "{\"kind\":")}, complaint), 1);
  expect_one_line(complaint, "bad.json");
}

TEST_F(Lifecycle, DoesNotStartOnAPortInUse) {
  start({"--cluster", cluster_});
  const std::string taken = "127.0.0.1:" + std::to_string(berth_->port());
  std::string complaint;
  EXPECT_EQ(run_to_its_end({"--cluster", cluster_, "--listen", taken}, complaint), 1);
  expect_one_line(complaint, taken);
  EXPECT_EQ(run_to_its_end({"--cluster", cluster_, "--admin-listen", taken}, complaint), 1);
  expect_one_line(complaint, taken);
}

TEST_F(Lifecycle, DoesNotStartWithABadConfigurationAndNamesTheLine) {
  const std::string config = folder_.write("berth.yaml",
                                           "apiVersion: berth/v1alpha1\n"
                                           "kind: BerthConfiguration\n"
                                           "policy:\n"
                                           "  affinity:\n"
                                           "    mod: hard\n");
  std::string complaint;
  EXPECT_EQ(run_to_its_end({"--cluster", cluster_, "--config", config}, complaint), 1);
  expect_one_line(complaint, config + ":5");
  EXPECT_THAT(complaint, HasSubstr("mode"));  // what was meant
}

TEST_F(Lifecycle, DoesNotListenBeyondLoopbackUnguarded) {
  for (const char* flag : {"--listen", "--admin-listen"}) {
    std::string complaint;
    EXPECT_EQ(run_to_its_end({"--cluster", cluster_, flag, "0.0.0.0:0"}, complaint), 1);
    expect_one_line(complaint, "--insecure-listen");
  }
}

TEST_F(Lifecycle, ListensBeyondLoopbackWhenToldThatThisIsInsecure) {
  start({"--cluster", cluster_, "--listen", "0.0.0.0:0", "--insecure-listen"});
  EXPECT_THAT(filter(ask_for_a_gpu("\"a\"")).passes, ::testing::ElementsAre("a"));
}

TEST_F(Lifecycle, RefusesAWrongCommandLine) {
  std::string complaint;
  EXPECT_EQ(run_to_its_end({"--cluster", cluster_, "--no-such-flag"}, complaint), 2);
  EXPECT_EQ(run_to_its_end({"--cluster", cluster_, "--now", "yesterday"}, complaint), 2);
  EXPECT_THAT(complaint, HasSubstr("yesterday"));
}

TEST_F(Lifecycle, PrintsItsVersion) {
  const harness::Program version({BERTH_PROGRAM, "version"});
  EXPECT_EQ(version.wait_for_exit(), 0);
  EXPECT_THAT(version.standard_output(), ::testing::MatchesRegex("berth [0-9]+\\..*\n"));
}

}  // namespace
}  // namespace berth::e2e
