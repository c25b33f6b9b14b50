#include "berth/app/http_reporter.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "berth/codec/extender_reply.h"

namespace berth::app {

namespace {

constexpr std::array kListeners = {kListen, kAdminListen};
constexpr std::uint32_t kWarnings = 3;
constexpr std::chrono::seconds kWarningWindow{10};

}  // namespace

HttpReporter::HttpReporter(telemetry::Metrics& metrics, telemetry::Log& log)
    : metrics_(metrics), log_(log) {
  std::vector<std::string_view> reasons;
  reasons.reserve(http::kAllRefusals.size());
  for (const http::Refusal refusal : http::kAllRefusals) reasons.push_back(to_string(refusal));
  metrics_.declare_http_refusals(kListeners, reasons);
  for (std::size_t i = 0; i < kListeners.size() * reasons.size(); ++i) {
    limits_.emplace_back(kWarnings, kWarningWindow);
  }
}

void HttpReporter::on_refusal(std::string_view listener, http::Refusal refusal,
                              std::string_view what) {
  metrics_.count_http_refusal(listener, to_string(refusal));
  const std::size_t of_listener = listener == kListen ? 0 : http::kAllRefusals.size();
  telemetry::RateLimit& limit = limits_[of_listener + static_cast<std::size_t>(refusal)];
  const auto suppressed = limit.admit(std::chrono::steady_clock::now());
  if (!suppressed) return;
  log_.warn("HTTP request refused", {{"listener", listener},
                                     {"reason", to_string(refusal)},
                                     {"what", what},
                                     {"suppressed", *suppressed}});
}

std::string explain_refusal(const LimitsConfiguration& limits, http::Refusal refusal) {
  const std::size_t names = limits.extender.names_body_bytes;
  const std::size_t nodes = limits.extender.nodes_body_bytes;
  switch (refusal) {
    case http::Refusal::kBodyTooLarge:
      return codec::encode_error(
          "body: more than " + std::to_string(std::max(names, nodes)) + " bytes, the limit (" +
          (nodes >= names ? "limits.nodesBodyBytes" : "limits.namesBodyBytes") + ")");
    case http::Refusal::kBytesInFlight:
      return codec::encode_error("bodies of all requests together: more than " +
                                 std::to_string(limits.body_bytes_in_flight) +
                                 " bytes, the limit (limits.bodyBytesInFlight)");
    case http::Refusal::kTooSlow:
      return codec::encode_error(
          "the request did not arrive in time (limits.readTimeout, limits.bodyTimeout)");
    case http::Refusal::kThreadsBusy:
      return codec::encode_error(
          "half sent while all threads were needed for others (limits.threads)");
    default:
      return {};
  }
}

}  // namespace berth::app
