#include "berth/app/watch_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::app {
namespace {

using cluster::RelistReason;
using cluster::Source;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class WatchReporterTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines_;
  telemetry::Log log_{{telemetry::LogFormat::kText, telemetry::LogLevel::kInfo,
                       [this](std::string_view line) { lines_.emplace_back(line); }}};
  telemetry::Metrics metrics_{"v"};
  WatchReporter reporter_{metrics_, log_};
};

TEST_F(WatchReporterTest, CountsBySource) {
  reporter_.on_relist(Source::kPods, RelistReason::kExpired);
  reporter_.on_event(Source::kNodes, codec::WatchEventType::kBookmark);
  reporter_.on_publish(40);
  const std::string page = metrics_.expose({});
  EXPECT_THAT(page,
              HasSubstr("berth_source_relists_total{reason=\"expired\",source=\"pods\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("berth_source_relists_total{reason=\"start\",source=\"pods\"} 0\n"));
  EXPECT_THAT(page, HasSubstr("berth_source_events_total{source=\"nodes\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("berth_snapshot_pods 40\n"));
  EXPECT_THAT(lines_, ElementsAre(AllOf(HasSubstr("source=pods"), HasSubstr("reason=expired"))));
}

TEST_F(WatchReporterTest, NamesAnUnreadableObjectOnce) {
  for (int i = 0; i < 3; ++i) reporter_.on_unreadable(Source::kPods, "n/p: spec: want an object");
  EXPECT_THAT(metrics_.expose({}), HasSubstr("berth_source_unreadable_total{source=\"pods\"} 3\n"));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("n/p: spec: want an object")));
}

TEST_F(WatchReporterTest, NamesAnUnreadableQuantityOnce) {
  const std::string what = "a: status.allocatable.cpu: \"4x\" is no quantity";
  for (int i = 0; i < 3; ++i) reporter_.on_unreadable_quantities(Source::kNodes, 2, what);
  reporter_.on_unreadable_quantities(Source::kPods, 1, "n/p: other");
  const std::string page = metrics_.expose({});
  EXPECT_THAT(page, HasSubstr("berth_unreadable_quantities_total{of=\"node\"} 6\n"));
  EXPECT_THAT(page, HasSubstr("berth_unreadable_quantities_total{of=\"pod\"} 1\n"));
  EXPECT_THAT(lines_, ElementsAre(AllOf(HasSubstr("counts as 0"), HasSubstr("source=nodes"),
                                        HasSubstr("a: status.allocatable.cpu: \\\"4x\\\"")),
                                  AllOf(HasSubstr("source=pods"), HasSubstr("n/p: other"))));
}

TEST_F(WatchReporterTest, DoesNotRepeatAFailureForEver) {
  for (int i = 0; i < 100; ++i) reporter_.on_trouble(Source::kNodes, "refused");
  EXPECT_THAT(metrics_.expose({}),
              HasSubstr("berth_source_failures_total{source=\"nodes\"} 100\n"));
  EXPECT_THAT(lines_, SizeIs(10));
}

TEST_F(WatchReporterTest, ShowsSourcesOnceThereAreAny) {
  EXPECT_THAT(metrics_.expose({}), ::testing::Not(HasSubstr("berth_source_synced{")));
  const cluster::SourceStatus pods{Source::kPods, true, false, std::chrono::milliseconds(1500), ""};
  metrics_.set_sources({&pods, 1});
  EXPECT_THAT(metrics_.expose({}), HasSubstr("berth_source_synced{source=\"pods\"} 1\n"));
  EXPECT_THAT(metrics_.expose({}), HasSubstr("berth_source_age_seconds{source=\"pods\"} 1.5\n"));
}

}  // namespace
}  // namespace berth::app
