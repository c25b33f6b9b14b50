#include "berth/app/http_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace berth::app {
namespace {

using http::Refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class HttpReporterTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines_;
  telemetry::Log log_{{telemetry::LogFormat::kText, telemetry::LogLevel::kInfo,
                       [this](std::string_view line) { lines_.emplace_back(line); }}};
  telemetry::Metrics metrics_{"v"};
  HttpReporter reporter_{metrics_, log_};
};

TEST_F(HttpReporterTest, HasEverySeriesFromTheStart) {
  std::set<std::string_view> reasons;
  const std::string page = metrics_.expose({});
  for (const Refusal refusal : http::kAllRefusals) {
    const std::string_view reason = to_string(refusal);
    EXPECT_TRUE(reasons.insert(reason).second) << reason;
    for (const std::string listener : {"listen", "adminListen"}) {
      EXPECT_THAT(page, HasSubstr("berth_http_refusals_total{listener=\"" + listener +
                                  "\",reason=\"" + std::string(reason) + "\"} 0\n"));
    }
  }
  EXPECT_FALSE(reasons.contains("unknown"));
}

TEST_F(HttpReporterTest, CountsAndNamesWhatWasRefused) {
  reporter_.on_refusal(kListen, Refusal::kUnknownPath, "POST /berth/filter\x1b[2J");
  EXPECT_THAT(
      metrics_.expose({}),
      HasSubstr("berth_http_refusals_total{listener=\"listen\",reason=\"unknown_path\"} 1"));
  EXPECT_THAT(lines_,
              ElementsAre(HasSubstr("level=warn msg=\"HTTP request refused\" listener=listen "
                                    "reason=unknown_path what=\"POST /berth/filter\\u001b[2J\" "
                                    "suppressed=0")));
}

TEST_F(HttpReporterTest, DoesNotLetAFloodHideAnythingElse) {
  for (int i = 0; i < 100; ++i) {
    reporter_.on_refusal(kAdminListen, Refusal::kWrongMethod, "PUT /healthz");
  }
  EXPECT_THAT(lines_, SizeIs(3));
  reporter_.on_refusal(kAdminListen, Refusal::kUnknownPath, "GET /health");
  EXPECT_THAT(lines_.back(), HasSubstr("listener=adminListen reason=unknown_path"));
  reporter_.on_refusal(kListen, Refusal::kWrongMethod, "GET /filter");
  EXPECT_THAT(lines_.back(), HasSubstr("listener=listen reason=wrong_method"));
  reporter_.on_refusal(kListen, Refusal::kTlsHandshake, "http request");
  EXPECT_THAT(lines_.back(), HasSubstr("listener=listen reason=tls_handshake"));
  EXPECT_THAT(
      metrics_.expose({}),
      HasSubstr("berth_http_refusals_total{listener=\"adminListen\",reason=\"wrong_method\"} 100"));
}

TEST(ExplainRefusal, NamesTheKeyThatRaisesTheLimit) {
  LimitsConfiguration limits;
  EXPECT_EQ(explain_refusal(limits, Refusal::kBodyTooLarge),
            "{\"error\":\"body: more than 536870912 bytes, the limit (limits.nodesBodyBytes)\"}");
  limits.extender.names_body_bytes = limits.extender.nodes_body_bytes + 1;
  EXPECT_THAT(explain_refusal(limits, Refusal::kBodyTooLarge),
              HasSubstr("536870913 bytes, the limit (limits.namesBodyBytes)"));
  EXPECT_THAT(explain_refusal(limits, Refusal::kBytesInFlight), HasSubstr("bodyBytesInFlight"));
  EXPECT_THAT(explain_refusal(limits, Refusal::kTooSlow), HasSubstr("limits.readTimeout"));
  EXPECT_THAT(explain_refusal(limits, Refusal::kThreadsBusy), HasSubstr("limits.threads"));
  EXPECT_EQ(explain_refusal(limits, Refusal::kUnknownPath), "");
}

}  // namespace
}  // namespace berth::app
