/// The bounded queue between the reflectors and the one writer.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>

#include "berth/base/mutex.h"
#include "change.h"

namespace berth::kube {

/// Thread-safe. First in, first out, over all sources.
class ChangeQueue {
 public:
  explicit ChangeQueue(std::size_t capacity) : capacity_(capacity), gathered_((capacity + 1) / 2) {}

  /// Waits for room. False: the queue was closed.
  bool push(Change change) BERTH_EXCLUDES(mutex_);
  /// False: there is no room, or the queue was closed; the change is lost.
  bool try_push(Change change) BERTH_EXCLUDES(mutex_);

  /// Everything that waits, as soon as something does. Empty: the queue was closed.
  [[nodiscard]] std::deque<Change> take() BERTH_EXCLUDES(mutex_);
  /// Everything that waits at `deadline`, or when the queue is half full. May be empty.
  [[nodiscard]] std::deque<Change> gather(std::chrono::steady_clock::time_point deadline)
      BERTH_EXCLUDES(mutex_);

  /// Wakes everyone; nothing goes in or out any more.
  void close() BERTH_EXCLUDES(mutex_);
  [[nodiscard]] bool closed() const BERTH_EXCLUDES(mutex_);

 private:
  void add(Change change) BERTH_REQUIRES(mutex_);
  [[nodiscard]] std::deque<Change> take_all() BERTH_REQUIRES(mutex_);

  const std::size_t capacity_;
  const std::size_t gathered_;  // as many as are worth waking up for
  mutable Mutex mutex_;
  CondVar filled_;
  CondVar emptied_;
  std::deque<Change> waiting_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
};

}  // namespace berth::kube
