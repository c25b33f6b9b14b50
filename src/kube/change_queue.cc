#include "change_queue.h"

#include <utility>

namespace berth::kube {

bool ChangeQueue::push(Change change) {
  const MutexLock lock(mutex_);
  while (!closed_ && waiting_.size() >= capacity_) emptied_.wait(mutex_);
  if (closed_) return false;
  add(std::move(change));
  return true;
}

bool ChangeQueue::try_push(Change change) {
  const MutexLock lock(mutex_);
  if (closed_ || waiting_.size() >= capacity_) return false;
  add(std::move(change));
  return true;
}

void ChangeQueue::add(Change change) {
  waiting_.push_back(std::move(change));
  // Who gathers does not want to be woken for each.
  if (waiting_.size() == 1 || waiting_.size() == gathered_) filled_.notify_one();
}

std::deque<Change> ChangeQueue::take() {
  const MutexLock lock(mutex_);
  while (!closed_ && waiting_.empty()) filled_.wait(mutex_);
  return take_all();
}

std::deque<Change> ChangeQueue::gather(std::chrono::steady_clock::time_point deadline) {
  const MutexLock lock(mutex_);
  while (!closed_ && waiting_.size() < gathered_) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= left.zero()) break;
    filled_.wait_for(mutex_, left);
  }
  return take_all();
}

std::deque<Change> ChangeQueue::take_all() {
  std::deque<Change> taken;
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

}  // namespace berth::kube
