#include "berth/telemetry/decision_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::telemetry {
namespace {

using placement::Stage;
using service::Decision;
using service::Outcome;
using service::Verb;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class DecisionObserverTest : public ::testing::Test {
 protected:
  std::vector<std::string> observe(LogLevel level, const std::vector<Decision>& decisions) {
    std::vector<std::string> lines;
    Log log({LogFormat::kText, level, [&](std::string_view line) { lines.emplace_back(line); }});
    DecisionObserver observer(metrics_, log, [this] { return now_; });
    for (const Decision& decision : decisions) {
      observer.on_decision(decision);
      now_ += step_;
    }
    return lines;
  }

  static Decision bad_request() {
    Decision decision;
    decision.outcome = Outcome::kBadRequest;
    decision.detail = "Pod is missing";
    return decision;
  }

  Metrics metrics_{"v"};
  RateLimit::Moment now_{};
  std::chrono::seconds step_{0};
};

TEST_F(DecisionObserverTest, LogsOneLinePerDecisionAtDebug) {
  Decision filter;
  filter.pod_namespace = "ml";
  filter.pod_name = "evil\"\nname";
  filter.requested = 12;
  filter.passed = 2;
  filter.took = std::chrono::nanoseconds(12'500);
  Decision prioritize = filter;
  prioritize.verb = Verb::kPrioritize;
  prioritize.winner = "node-7";
  EXPECT_THAT(
      observe(LogLevel::kDebug, {filter, prioritize}),
      ElementsAre(HasSubstr("level=debug msg=decision verb=filter outcome=ok namespace=ml "
                            "pod=\"evil\\\"\\nname\" requested=12 passed=2 took_us=12.5\n"),
                  HasSubstr("verb=prioritize outcome=ok namespace=ml pod=\"evil\\\"\\nname\" "
                            "requested=12 winner=node-7 took_us=12.5\n")));
}

TEST_F(DecisionObserverTest, SaysNothingAboutAnswersAboveDebug) {
  EXPECT_THAT(observe(LogLevel::kInfo, {Decision{}, Decision{}}), IsEmpty());
}

TEST_F(DecisionObserverTest, CountsWhatItSees) {
  Decision decision;
  decision.refused[static_cast<std::size_t>(Stage::kCordon)] = 3;
  (void)observe(LogLevel::kError, {decision, decision, bad_request()});
  const std::string text = metrics_.expose({});
  EXPECT_THAT(text, HasSubstr("berth_requests_total{outcome=\"ok\",verb=\"filter\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("berth_requests_total{outcome=\"bad_request\",verb=\"filter\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("berth_refusals_total{stage=\"cordon\"} 6\n"));
}

TEST_F(DecisionObserverTest, WarnsAboutRequestsThatCouldNotBeRead) {
  EXPECT_THAT(observe(LogLevel::kWarn, {bad_request()}),
              ElementsAre(HasSubstr("level=warn msg=\"request not answered\" verb=filter "
                                    "outcome=bad_request detail=\"Pod is missing\" suppressed=0")));
}

TEST_F(DecisionObserverTest, NamesRequestsOfAPodThatCannotBeRead) {
  const std::vector<std::string> invalid = {"spec.containers[0].resources.requests.cpu: \"1x\"",
                                            "spec.overhead.cpu: \"y\""};
  Decision decision;
  decision.pod_namespace = "ml";
  decision.pod_name = "train";
  decision.invalid_requests = invalid;
  EXPECT_THAT(observe(LogLevel::kWarn, {decision}),
              ElementsAre(AllOf(HasSubstr("level=warn msg=\"a request of the pod cannot be read"),
                                HasSubstr("verb=filter namespace=ml pod=train why=\"spec."
                                          "containers[0].resources.requests.cpu: \\\"1x\\\" "
                                          "(and 1 more)\" suppressed=0"))));
  EXPECT_THAT(metrics_.expose({}),
              HasSubstr("berth_unreadable_quantities_total{of=\"request\"} 2\n"));
  EXPECT_THAT(observe(LogLevel::kWarn, std::vector<Decision>(1000, decision)),
              SizeIs(DecisionObserver::kWarnings));
}

TEST_F(DecisionObserverTest, NamesAnAffinityModeThatThereIsNot) {
  Decision decision;
  decision.pod_namespace = "ml";
  decision.pod_name = "train";
  decision.affinity_annotation = "berth/affinity";
  EXPECT_THAT(observe(LogLevel::kWarn, {decision}), IsEmpty());
  decision.unknown_affinity = "Hard";
  EXPECT_THAT(observe(LogLevel::kWarn, {decision}),
              ElementsAre(HasSubstr(
                  "verb=filter namespace=ml pod=train annotation=berth/affinity value=Hard "
                  "allowed=\"soft or hard\" suppressed=0")));
  EXPECT_THAT(metrics_.expose({}), HasSubstr("berth_unknown_affinity_total 1\n"));
}

TEST_F(DecisionObserverTest, DoesNotLetAFloodOfBadRequestsFloodTheLog) {
  const std::vector<Decision> flood(1000, bad_request());
  EXPECT_THAT(observe(LogLevel::kDebug, flood), SizeIs(DecisionObserver::kWarnings));
  EXPECT_THAT(metrics_.expose({}),
              HasSubstr("berth_requests_total{outcome=\"bad_request\",verb=\"filter\"} 1000\n"));
}

TEST_F(DecisionObserverTest, SaysHowManyWarningsItKeptBack) {
  step_ = std::chrono::seconds(0);
  std::vector<std::string> lines;
  Log log({LogFormat::kText, LogLevel::kWarn,
           [&](std::string_view line) { lines.emplace_back(line); }});
  DecisionObserver observer(metrics_, log, [this] { return now_; });
  for (int i = 0; i < 25; ++i) observer.on_decision(bad_request());
  now_ += DecisionObserver::kWarningWindow;
  observer.on_decision(bad_request());
  ASSERT_THAT(lines, SizeIs(DecisionObserver::kWarnings + 1));
  EXPECT_THAT(lines.back(), HasSubstr("suppressed=15"));
}

}  // namespace
}  // namespace berth::telemetry
