/// How long to wait before the next try.
#pragma once

#include <algorithm>
#include <chrono>
#include <random>

namespace berth::kube {

/// Twice as long each time, up to a cap; every wait is somewhere in the upper half of that, so that
/// many clients do not return together. Not thread-safe.
class Backoff {
 public:
  using Time = std::chrono::milliseconds;
  Backoff(Time first, Time most) : first_(first), most_(most), next_(first) {}

  [[nodiscard]] Time next() {
    const Time whole = next_;
    next_ = std::min(most_, next_ * 2);
    return Time(between(whole.count() / 2, whole.count()));
  }
  void reset() { next_ = first_; }

  /// A random number of [least, most].
  [[nodiscard]] Time::rep between(Time::rep least, Time::rep most) {
    return std::uniform_int_distribution<Time::rep>(least, most)(random_);
  }

 private:
  Time first_;
  Time most_;
  Time next_;
  std::minstd_rand random_{std::random_device()()};
};

}  // namespace berth::kube
