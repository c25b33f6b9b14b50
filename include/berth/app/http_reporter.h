/// What the listeners refuse by themselves, as metrics and log lines.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "berth/app/configuration.h"
#include "berth/http/server.h"
#include "berth/telemetry/log.h"
#include "berth/telemetry/metrics.h"
#include "berth/telemetry/rate_limit.h"

namespace berth::app {

/// The names of the listeners, as the configuration spells them.
inline constexpr std::string_view kListen = "listen";
inline constexpr std::string_view kAdminListen = "adminListen";

/// Thread-safe. Every refusal is counted; of each reason on each listener a few are logged, as
/// warnings, so that a flood of one does not hide the others.
class HttpReporter {
 public:
  HttpReporter(telemetry::Metrics& metrics, telemetry::Log& log);

  void on_refusal(std::string_view listener, http::Refusal refusal, std::string_view what);

 private:
  telemetry::Metrics& metrics_;
  telemetry::Log& log_;
  std::deque<telemetry::RateLimit> limits_;  // by listener, then by reason
};

/// The JSON of a refusal that a key of the configuration can cure, naming the key; else empty.
[[nodiscard]] std::string explain_refusal(const LimitsConfiguration& limits, http::Refusal refusal);

}  // namespace berth::app
