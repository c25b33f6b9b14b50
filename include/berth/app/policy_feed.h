/// Follows the configuration file while berth runs: its policy part takes effect at once.
#pragma once

#include <string>

#include "berth/app/cluster_feed.h"
#include "berth/app/configuration.h"
#include "berth/base/published.h"
#include "berth/base/result.h"
#include "berth/placement/policy.h"
#include "berth/telemetry/log.h"
#include "berth/telemetry/metrics.h"

namespace berth::app {

/// Not thread-safe: called by the cluster's writer. What it is given outlives it.
class PolicyFeed {
 public:
  /// `running` is what the file said at start.
  PolicyFeed(std::string file, Configuration running, Published<placement::Policy>& policies,
             ClusterFeed& cluster, telemetry::Metrics& metrics, telemetry::Log& log);

  /// The file's new text, or why it could not be read. A broken one is refused: the policy stays.
  /// Changes beyond the policy are named in the log; they wait for a restart.
  void reload(const Result<std::string>& text);

 private:
  std::string file_;
  Configuration running_;
  Published<placement::Policy>& policies_;
  ClusterFeed& cluster_;
  telemetry::Metrics& metrics_;
  telemetry::Log& log_;
};

}  // namespace berth::app
