/// Turns decisions into metrics and log lines.
#pragma once

#include <chrono>
#include <functional>

#include "berth/service/observer.h"
#include "berth/telemetry/log.h"
#include "berth/telemetry/metrics.h"
#include "berth/telemetry/rate_limit.h"

namespace berth::telemetry {

/// One line per decision at debug. Requests that were not answered are warnings, and so is what a
/// pod's author probably did not mean (unreadable requests, an unknown affinity mode): of either
/// at most kWarnings in kWarningWindow: a flood of bad requests must not become a flood of lines.
/// Thread-safe; `metrics` and `log` outlive it.
class DecisionObserver final : public service::Observer {
 public:
  static constexpr std::uint32_t kWarnings = 10;
  static constexpr std::chrono::seconds kWarningWindow{10};
  using SteadyNow = std::function<RateLimit::Moment()>;

  DecisionObserver(
      Metrics& metrics, Log& log, SteadyNow now = [] { return std::chrono::steady_clock::now(); });
  void on_decision(const service::Decision& decision) override;

 private:
  void count(const service::Decision& decision);
  void log_doubts(const service::Decision& decision);
  void log_answer(const service::Decision& decision);
  void log_failure(const service::Decision& decision);

  Metrics& metrics_;
  Log& log_;
  SteadyNow now_;
  RateLimit warnings_{kWarnings, kWarningWindow};
  RateLimit doubts_{kWarnings, kWarningWindow};
};

}  // namespace berth::telemetry
