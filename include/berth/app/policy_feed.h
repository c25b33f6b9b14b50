/// Follows the configuration file while berth runs: its policy part takes effect at once.
#pragma once

#include <functional>
#include <string>

#include "berth/app/configuration.h"
#include "berth/base/published.h"
#include "berth/base/result.h"
#include "berth/placement/policy.h"
#include "berth/telemetry/log.h"
#include "berth/telemetry/metrics.h"

namespace berth::app {

/// Not thread-safe. What it is given outlives it.
class PolicyFeed {
 public:
  using GpuPolicyChanged = std::function<void(const model::GpuPolicy&)>;

  /// `running` is what the file said at start; `gpu_policy_changed` tells the cluster's writer.
  PolicyFeed(std::string file, Configuration running, Published<placement::Policy>& policies,
             GpuPolicyChanged gpu_policy_changed, telemetry::Metrics& metrics, telemetry::Log& log);

  /// The file's new text, or why it could not be read. A broken one is refused: the policy stays.
  /// Changes beyond the policy are named in the log; they wait for a restart.
  void reload(const Result<std::string>& text);

 private:
  std::string file_;
  Configuration running_;
  Published<placement::Policy>& policies_;
  GpuPolicyChanged gpu_policy_changed_;
  telemetry::Metrics& metrics_;
  telemetry::Log& log_;
};

}  // namespace berth::app
