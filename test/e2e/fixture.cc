#include "test/e2e/fixture.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace berth::e2e {

double metric(const std::string& page, const std::string& name) {
  const std::size_t found = page.find("\n" + name + " ");
  if (found == page.npos) return -1;
  return std::strtod(page.c_str() + found + name.size() + 2, nullptr);
}

std::string one_node_cluster(int gpus) {
  const std::string sizes = R"({"cpu":"8","memory":"32Gi","pods":"110","nvidia.com/gpu":")" +
                            std::to_string(gpus) + "\"}";
  return R"({"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Node","metadata":)"
         R"({"name":"a","uid":"uid-a","labels":{"gpu":"true"}},"status":{"capacity":)" +
         sizes + R"(,"allocatable":)" + sizes + "}}]}";
}

std::string ask_for_a_gpu(const std::string& names) {
  return R"({"Pod":{"metadata":{"name":"p","namespace":"ml","uid":"u"},"spec":{"containers":[)"
         R"({"name":"main","resources":{"requests":{"nvidia.com/gpu":"1"}}}]}},"Nodes":null,)"
         R"("NodeNames":[)" +
         names + "]}";
}

void EndToEnd::start(std::vector<std::string> arguments) {
  berth_ = std::make_unique<harness::Berth>(BERTH_PROGRAM, std::move(arguments));
  ASSERT_TRUE(berth_->wait_until_listening()) << berth_->process().standard_error();
}

void EndToEnd::start_on_the_story(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"--cluster", std::string(kStory) + "cluster.yaml", "--now",
                                        kStoryNow};
  arguments.insert(arguments.end(), more.begin(), more.end());
  start(std::move(arguments));
}

int EndToEnd::run_to_its_end(std::vector<std::string> arguments, std::string& complaint) {
  harness::Berth ending(BERTH_PROGRAM, std::move(arguments));
  const auto code = ending.process().wait_for_exit();
  EXPECT_TRUE(code) << "still running: " << ending.process().standard_output();
  complaint = ending.process().standard_error();
  return code.value_or(-1);
}

void EndToEnd::TearDown() {
  if (!berth_ || !berth_->process().running()) return;
  EXPECT_EQ(berth_->stop(), 0) << berth_->process().standard_error();
}

harness::FilterReading EndToEnd::filter(const std::string& body) const {
  const auto reply = post("/filter", body);
  EXPECT_EQ(reply.status, 200) << reply.body;
  auto reading = harness::read_filter(body, reply.body);
  EXPECT_THAT(reading.violations, ::testing::IsEmpty()) << reply.body;
  return reading;
}

harness::PriorityReading EndToEnd::prioritize(const std::string& body,
                                              harness::ExpectedHosts expected) const {
  const auto reply = post("/prioritize", body);
  EXPECT_EQ(reply.status, 200) << reply.body;
  auto reading = harness::read_priorities(body, reply.body, expected);
  EXPECT_THAT(reading.violations, ::testing::IsEmpty()) << reply.body;
  return reading;
}

}  // namespace berth::e2e
