#include "change_queue.h"

#include <utility>

namespace berth::kube {

bool ChangeQueue::push(Change change) {
  const MutexLock lock(mutex_);
  while (!closed_ && waiting_.size() >= capacity_) emptied_.wait(mutex_);
  if (closed_) return false;
  waiting_.push_back(std::move(change));
  filled_.notify_one();
  return true;
}

bool ChangeQueue::try_push(Change change) {
  const MutexLock lock(mutex_);
  if (closed_ || waiting_.size() >= capacity_) return false;
  waiting_.push_back(std::move(change));
  filled_.notify_one();
  return true;
}

std::deque<Change> ChangeQueue::take(
    std::optional<std::chrono::steady_clock::time_point> deadline) {
  std::deque<Change> taken;
  const MutexLock lock(mutex_);
  while (!closed_ && waiting_.empty()) {
    if (!deadline) {
      filled_.wait(mutex_);
      continue;
    }
    const auto left = *deadline - std::chrono::steady_clock::now();
    if (left <= left.zero()) break;
    filled_.wait_for(mutex_, left);
  }
  if (!closed_) taken.swap(waiting_);
  emptied_.notify_all();
  return taken;
}

void ChangeQueue::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  waiting_.clear();
  filled_.notify_all();
  emptied_.notify_all();
}

bool ChangeQueue::closed() const {
  const MutexLock lock(mutex_);
  return closed_;
}

bool ChangeQueue::empty() const {
  const MutexLock lock(mutex_);
  return waiting_.empty();
}

}  // namespace berth::kube
