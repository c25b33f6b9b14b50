#include "berth/app/policy_feed.h"

#include <memory>
#include <utility>

namespace berth::app {

PolicyFeed::PolicyFeed(std::string file, Configuration running,
                       Published<placement::Policy>& policies, GpuPolicyChanged gpu_policy_changed,
                       telemetry::Metrics& metrics, telemetry::Log& log)
    : file_(std::move(file)),
      running_(std::move(running)),
      policies_(policies),
      gpu_policy_changed_(std::move(gpu_policy_changed)),
      metrics_(metrics),
      log_(log) {}

void PolicyFeed::reload(const Result<std::string>& text) {
  auto next = text ? parse_configuration(*text, file_) : Result<Configuration>(text.error());
  if (!next) {
    metrics_.count_config_reload(telemetry::ReloadResult::kFailure);
    log_.error("configuration refused, the old one stays", {{"why", next.error().message}});
    return;
  }
  metrics_.count_config_reload(telemetry::ReloadResult::kSuccess);
  for (const std::string_view key : differences_beyond_policy(running_, *next)) {
    log_.warn("configuration changed, but this part needs a restart", {{"key", key}});
  }
  if (next->policy == running_.policy) return;
  const bool gpu_changed = next->policy.gpu != running_.policy.gpu;
  running_.policy = next->policy;
  policies_.publish(std::make_shared<const placement::Policy>(running_.policy));
  if (gpu_changed) gpu_policy_changed_(running_.policy.gpu);
  log_.info("policy changed", {{"file", file_}});
}

}  // namespace berth::app
