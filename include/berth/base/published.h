/// The newest immutable T: one thread publishes, any thread reads and keeps what it read.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "berth/base/mutex.h"

namespace berth {

/// Thread-safe. A reader's copy stays valid however often the value is replaced. read() returns
/// null until the first publish() (or if null was published).
/// Cost: an uncontended lock and a reference count, some 20 ns. (std::atomic<std::shared_ptr> of
/// g++ 12 is slower and ThreadSanitizer reports a race inside it.)
template <typename T>
class Published {
 public:
  Published() = default;
  explicit Published(std::shared_ptr<const T> initial) : current_(std::move(initial)) {}

  [[nodiscard]] std::shared_ptr<const T> read() const BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return current_;
  }

  /// Waits until the value is another than `known`, at most for `patience`; the newest in any case.
  [[nodiscard]] std::shared_ptr<const T> read_newer(const std::shared_ptr<const T>& known,
                                                    std::chrono::nanoseconds patience) const
      BERTH_EXCLUDES(mutex_) {
    const auto end = std::chrono::steady_clock::now() + patience;
    const MutexLock lock(mutex_);
    while (current_ == known) {
      const auto left = end - std::chrono::steady_clock::now();
      if (left <= left.zero()) break;
      changed_.wait_for(mutex_, left);
    }
    return current_;
  }

  void publish(std::shared_ptr<const T> next) BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    current_.swap(next);
    changed_.notify_all();
    // The old value dies with `next`, after the lock is released (parameters outlive locals).
  }

 private:
  mutable Mutex mutex_;
  mutable CondVar changed_;
  std::shared_ptr<const T> current_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth
