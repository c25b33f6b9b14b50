#include "berth/telemetry/rate_limit.h"

#include <utility>

namespace berth::telemetry {

std::optional<std::uint64_t> RateLimit::admit(Moment now) {
  const MutexLock lock(mutex_);
  if (!window_start_ || now - *window_start_ >= window_) {
    window_start_ = now;
    said_ = 0;
  }
  if (said_ >= burst_) {
    ++suppressed_;
    return std::nullopt;
  }
  ++said_;
  return std::exchange(suppressed_, 0);
}

}  // namespace berth::telemetry
