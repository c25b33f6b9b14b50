#include "berth/telemetry/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace berth::telemetry {
namespace {

using placement::Stage;
using service::Outcome;
using service::Verb;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Metrics, HasEverySeriesFromTheStart) {
  Metrics metrics("1.2.3");
  const std::string text = metrics.expose({});
  for (const char* line :
       {"# TYPE berth_requests_total counter\n", "# TYPE berth_refusals_total counter\n",
        "# TYPE berth_request_duration_seconds histogram\n", "# TYPE berth_nodes gauge\n",
        "berth_requests_total{outcome=\"ok\",verb=\"filter\"} 0\n",
        "berth_requests_total{outcome=\"not_ready\",verb=\"prioritize\"} 0\n",
        "berth_refusals_total{stage=\"label_pending\"} 0\n", "berth_nodes{readiness=\"ready\"} 0\n",
        "berth_config_reloads_total{result=\"failure\"} 0\n",
        "berth_cluster_reloads_total{result=\"success\"} 0\n", "berth_snapshot_present 0\n",
        "berth_build_info{version=\"1.2.3\"} 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(Metrics, CountsRequestsAndTheirTime) {
  Metrics metrics("v");
  metrics.count_request(Verb::kFilter, Outcome::kOk, std::chrono::microseconds(30));
  metrics.count_request(Verb::kFilter, Outcome::kOk, std::chrono::seconds(2));
  const std::string text = metrics.expose({});
  EXPECT_THAT(text, HasSubstr("berth_requests_total{outcome=\"ok\",verb=\"filter\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("berth_requests_total{outcome=\"ok\",verb=\"prioritize\"} 0\n"));
  const std::string labels = "{outcome=\"ok\",verb=\"filter\"";
  EXPECT_THAT(text, HasSubstr("berth_request_duration_seconds_count" + labels + "} 2\n"));
  EXPECT_THAT(text, HasSubstr("berth_request_duration_seconds_bucket" + labels + ",le=\"1\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("berth_request_duration_seconds_bucket" + labels + ",le=\"+Inf\"} 2\n"));
}

TEST(Metrics, CountsRefusalsAndReloads) {
  Metrics metrics("v");
  metrics.count_refusals(Stage::kResource, 7);
  metrics.count_config_reload(ReloadResult::kFailure);
  metrics.count_cluster_reload(ReloadResult::kSuccess);
  metrics.set_pods(40);
  const std::string text = metrics.expose({});
  EXPECT_THAT(text, HasSubstr("berth_refusals_total{stage=\"" +
                              std::string(placement::to_string(Stage::kResource)) + "\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("berth_config_reloads_total{result=\"failure\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("berth_config_reloads_total{result=\"success\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("berth_cluster_reloads_total{result=\"success\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("berth_snapshot_pods 40\n"));
}

TEST(Metrics, ShowsTheClusterAsItIsNow) {
  Metrics metrics("v");
  ClusterFacts facts;
  facts.has_snapshot = true;
  facts.generation = 3;
  facts.age = std::chrono::milliseconds(1500);
  facts.nodes = 12;
  facts.nodes_by_readiness[static_cast<std::size_t>(model::Readiness::kLabelPending)] = 5;
  const std::string text = metrics.expose(facts);
  EXPECT_THAT(text, HasSubstr("berth_nodes{readiness=\"label-pending\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("berth_snapshot_present 1\n"));
  EXPECT_THAT(text, HasSubstr("berth_snapshot_age_seconds 1.5\n"));
  EXPECT_THAT(text, HasSubstr("berth_snapshot_generation 3\n"));
  EXPECT_THAT(text, HasSubstr("berth_snapshot_nodes 12\n"));
  EXPECT_THAT(metrics.expose({}), HasSubstr("berth_nodes{readiness=\"label-pending\"} 0\n"));
}

TEST(Metrics, HasTheSameNumberOfSeriesWhateverHappens) {
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  Metrics metrics("v");
  const auto before = lines(metrics.expose({}));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&metrics] {
      for (int j = 0; j < 500; ++j) {
        metrics.count_request(Verb::kPrioritize, Outcome::kBadRequest, std::chrono::seconds(j));
        metrics.count_refusals(Stage::kTaint, 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = metrics.expose({});
  EXPECT_EQ(lines(text), before);
  EXPECT_THAT(text, HasSubstr("berth_refusals_total{stage=\"" +
                              std::string(placement::to_string(Stage::kTaint)) + "\"} 2000\n"));
}

}  // namespace
}  // namespace berth::telemetry
