/// Time as berth uses it, and the port through which it is asked.
#pragma once

#include <chrono>

namespace berth {

/// A moment of wall-clock time, UTC.
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

/// The injected clock: decisions take a Time, only edges ask for it. Implementations are
/// thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Time now() const = 0;
};

/// A clock that stands still: `--now`, and tests.
class FixedClock final : public Clock {
 public:
  explicit FixedClock(Time now) : now_(now) {}
  [[nodiscard]] Time now() const override { return now_; }

 private:
  Time now_;
};

}  // namespace berth
