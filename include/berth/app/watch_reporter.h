/// What a live cluster tells about itself, as metrics and log lines.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "berth/base/mutex.h"
#include "berth/kube/cluster_watch.h"
#include "berth/telemetry/log.h"
#include "berth/telemetry/metrics.h"
#include "berth/telemetry/rate_limit.h"

namespace berth::app {

/// Thread-safe. An unreadable object or quantity is logged once, a failure that goes on at most a
/// few times a minute; all are counted.
class WatchReporter final : public kube::WatchObserver {
 public:
  WatchReporter(telemetry::Metrics& metrics, telemetry::Log& log) : metrics_(metrics), log_(log) {}

  void on_relist(cluster::Source source, cluster::RelistReason reason) override;
  void on_event(cluster::Source source, codec::WatchEventType type) override;
  void on_unreadable(cluster::Source source, std::string_view what) override;
  void on_unreadable_quantities(cluster::Source source, std::size_t quantities,
                                std::string_view what) override;
  void on_trouble(cluster::Source source, std::string_view what) override;
  void on_publish(std::size_t pods) override;

 private:
  [[nodiscard]] bool is_news(std::string_view what) BERTH_EXCLUDES(mutex_);

  telemetry::Metrics& metrics_;
  telemetry::Log& log_;
  telemetry::RateLimit troubles_{10, std::chrono::minutes(1)};
  Mutex mutex_;
  std::set<std::string, std::less<>> unreadable_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::app
