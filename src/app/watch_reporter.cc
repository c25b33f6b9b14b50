#include "berth/app/watch_reporter.h"

#include <chrono>

namespace berth::app {
namespace {

/// Unreadable objects that are remembered; what comes after them is logged each time it is seen.
constexpr std::size_t kMaxRemembered = 1000;

}  // namespace

void WatchReporter::on_relist(cluster::Source source, cluster::RelistReason reason) {
  metrics_.count_relist(source, reason);
  log_.info("listed",
            {{"source", cluster::to_string(source)}, {"reason", cluster::to_string(reason)}});
}

void WatchReporter::on_event(cluster::Source source, codec::WatchEventType /*type*/) {
  metrics_.count_event(source);
}

void WatchReporter::on_unreadable(cluster::Source source, std::string_view what) {
  metrics_.count_unreadable(source);
  if (!is_news(what)) return;
  log_.warn("object left out", {{"source", cluster::to_string(source)}, {"why", what}});
}

void WatchReporter::on_unreadable_quantities(cluster::Source source, std::size_t quantities,
                                             std::string_view what) {
  metrics_.count_unreadable_quantities(source == cluster::Source::kNodes
                                           ? telemetry::QuantityOf::kNode
                                           : telemetry::QuantityOf::kPod,
                                       quantities);
  if (!is_news(what)) return;
  log_.warn("quantity counts as 0", {{"source", cluster::to_string(source)}, {"why", what}});
}

void WatchReporter::on_trouble(cluster::Source source, std::string_view what) {
  metrics_.count_failure(source);
  const auto suppressed = troubles_.admit(std::chrono::steady_clock::now());
  if (!suppressed) return;
  log_.warn("API server does not answer as hoped",
            {{"source", cluster::to_string(source)}, {"why", what}, {"suppressed", *suppressed}});
}

void WatchReporter::on_publish(std::size_t pods) { metrics_.set_pods(pods); }

bool WatchReporter::is_news(std::string_view what) {
  const MutexLock lock(mutex_);
  if (unreadable_.contains(what)) return false;
  if (unreadable_.size() < kMaxRemembered) unreadable_.emplace(what);
  return true;
}

}  // namespace berth::app
