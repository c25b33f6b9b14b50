/// A limit on how often something is said.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "berth/base/mutex.h"

namespace berth::telemetry {

/// At most `burst` in any window of `window`; what exceeds it is counted. Thread-safe.
class RateLimit {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  RateLimit(std::uint32_t burst, std::chrono::nanoseconds window)
      : burst_(burst), window_(window) {}

  /// Whether one more may be said at `now`; if so, how many were suppressed since the last one.
  [[nodiscard]] std::optional<std::uint64_t> admit(Moment now) BERTH_EXCLUDES(mutex_);

 private:
  const std::uint32_t burst_;
  const std::chrono::nanoseconds window_;
  Mutex mutex_;
  std::optional<Moment> window_start_ BERTH_GUARDED_BY(mutex_);
  std::uint32_t said_ BERTH_GUARDED_BY(mutex_) = 0;
  std::uint64_t suppressed_ BERTH_GUARDED_BY(mutex_) = 0;
};

}  // namespace berth::telemetry
