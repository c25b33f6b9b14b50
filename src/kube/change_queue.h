/// The bounded queue between the reflectors and the one writer.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "berth/base/mutex.h"
#include "change.h"

namespace berth::kube {

/// Thread-safe. First in, first out, over all sources.
class ChangeQueue {
 public:
  explicit ChangeQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits for room. False: the queue was closed.
  bool push(Change change) BERTH_EXCLUDES(mutex_);
  /// False: there is no room, or the queue was closed; the change is lost.
  bool try_push(Change change) BERTH_EXCLUDES(mutex_);

  /// Everything that waits. Waits itself for something until `deadline` (without one for as long
  /// as it takes); empty: nothing came, or the queue was closed.
  [[nodiscard]] std::deque<Change> take(
      std::optional<std::chrono::steady_clock::time_point> deadline) BERTH_EXCLUDES(mutex_);

  /// Wakes everyone; nothing goes in or out any more.
  void close() BERTH_EXCLUDES(mutex_);
  [[nodiscard]] bool closed() const BERTH_EXCLUDES(mutex_);
  [[nodiscard]] bool empty() const BERTH_EXCLUDES(mutex_);

 private:
  const std::size_t capacity_;
  mutable Mutex mutex_;
  CondVar filled_;
  CondVar emptied_;
  std::deque<Change> waiting_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
};

}  // namespace berth::kube
