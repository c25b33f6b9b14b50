/// The newest immutable T: one thread publishes, any thread reads and keeps what it read.
#pragma once

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

  void publish(std::shared_ptr<const T> next) BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    current_.swap(next);
    // The old value dies with `next`, after the lock is released (parameters outlive locals).
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const T> current_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth
