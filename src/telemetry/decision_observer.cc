#include "berth/telemetry/decision_observer.h"

#include <utility>

#include "berth/model/quantity.h"

namespace berth::telemetry {
namespace {

bool answered(service::Outcome outcome) {
  return outcome == service::Outcome::kOk || outcome == service::Outcome::kNoNode;
}

double microseconds(std::chrono::nanoseconds span) {
  return std::chrono::duration<double, std::micro>(span).count();
}

}  // namespace

DecisionObserver::DecisionObserver(Metrics& metrics, Log& log, SteadyNow now)
    : metrics_(metrics), log_(log), now_(std::move(now)) {}

void DecisionObserver::on_decision(const service::Decision& decision) {
  count(decision);
  if (log_.enabled(LogLevel::kWarn)) log_doubts(decision);
  if (answered(decision.outcome)) {
    if (log_.enabled(LogLevel::kDebug)) log_answer(decision);
  } else if (log_.enabled(LogLevel::kWarn)) {
    log_failure(decision);
  }
}

void DecisionObserver::count(const service::Decision& decision) {
  metrics_.count_request(decision.verb, decision.outcome, decision.took);
  metrics_.count_second_look(decision.second_look);
  if (!decision.invalid_requests.empty()) {
    metrics_.count_unreadable_quantities(QuantityOf::kRequest, decision.invalid_requests.size());
  }
  if (decision.unknown_affinity) metrics_.count_unknown_affinity();
  for (std::size_t stage = 0; stage < decision.refused.size(); ++stage) {
    if (decision.refused[stage] == 0) continue;
    metrics_.count_refusals(static_cast<placement::Stage>(stage), decision.refused[stage]);
  }
}

void DecisionObserver::log_doubts(const service::Decision& decision) {
  if (!decision.invalid_requests.empty()) {
    if (const auto suppressed = doubts_.admit(now_())) {
      log_.warn("a request of the pod cannot be read, no node may take it",
                {{"verb", service::to_string(decision.verb)},
                 {"namespace", decision.pod_namespace},
                 {"pod", decision.pod_name},
                 {"why", model::summary_of(decision.invalid_requests)},
                 {"suppressed", *suppressed}});
    }
  }
  if (decision.unknown_affinity) {
    if (const auto suppressed = doubts_.admit(now_())) {
      log_.warn("the pod's affinity mode is unknown, the policy's mode counts",
                {{"verb", service::to_string(decision.verb)},
                 {"namespace", decision.pod_namespace},
                 {"pod", decision.pod_name},
                 {"annotation", decision.affinity_annotation},
                 {"value", *decision.unknown_affinity},
                 {"allowed", "soft or hard"},
                 {"suppressed", *suppressed}});
    }
  }
}

void DecisionObserver::log_answer(const service::Decision& decision) {
  const bool filter = decision.verb == service::Verb::kFilter;
  log_.debug("decision",
             {{"verb", service::to_string(decision.verb)},
              {"outcome", service::to_string(decision.outcome)},
              {"namespace", decision.pod_namespace},
              {"pod", decision.pod_name},
              {"requested", decision.requested},
              filter ? LogField{"passed", decision.passed} : LogField{"winner", decision.winner},
              {"took_us", microseconds(decision.took)}});
}

void DecisionObserver::log_failure(const service::Decision& decision) {
  const auto suppressed = warnings_.admit(now_());
  if (!suppressed) return;
  log_.warn("request not answered", {{"verb", service::to_string(decision.verb)},
                                     {"outcome", service::to_string(decision.outcome)},
                                     {"detail", decision.detail},
                                     {"suppressed", *suppressed}});
}

}  // namespace berth::telemetry
