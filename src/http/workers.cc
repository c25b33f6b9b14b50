#include "workers.h"

#include <new>
#include <utility>

namespace berth::http {
namespace {

// A TLS handshake and the JSON parsers stay far below it, also with sanitizers; only touched pages
// cost memory.
constexpr std::size_t kStackBytes = std::size_t{512} << 10;

}  // namespace

Workers::Workers(std::size_t max_threads, std::chrono::milliseconds idle_time,
                 std::function<Worker()> make_worker)
    : max_threads_(max_threads), idle_time_(idle_time), make_worker_(std::move(make_worker)) {}

Workers::~Workers() { close(); }

void Workers::submit(Task task) {
  {
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(task));
    if (waiting_.size() > idle_ && threads_ < max_threads_) start_thread();
    if (threads_ == 0) waiting_.pop_back();  // the system gives no thread at all: hang up
  }
  work_.notify_one();
}

std::size_t Workers::crowd() {
  const MutexLock lock(mutex_);
  return threads_ == max_threads_ && waiting_.size() > idle_ ? waiting_.size() - idle_ : 0;
}

bool Workers::wait_until_done(std::chrono::milliseconds patience) {
  const Instant deadline = now() + patience;
  const MutexLock lock(mutex_);
  while (!waiting_.empty() || idle_ != threads_) {
    const auto left = deadline - now();
    if (left <= left.zero()) return false;
    done_.wait_for(mutex_, left);
  }
  return true;
}

void Workers::close() {
  const MutexLock lock(mutex_);
  closing_ = true;
  work_.notify_all();
  while (threads_ > 0) done_.wait(mutex_);
  join_ended();
}

std::size_t Workers::thread_count() {
  const MutexLock lock(mutex_);
  return threads_;
}

void Workers::start_thread() {
  join_ended();
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread{};
  if (pthread_create(&thread, &attributes, &Workers::thread_main, this) == 0) {
    ++threads_;
    pthread_setname_np(thread, "berth-http");
  }
  pthread_attr_destroy(&attributes);
}

void Workers::join_ended() {
  for (const pthread_t thread : ended_) pthread_join(thread, nullptr);
  ended_.clear();
}

void* Workers::thread_main(void* self) {
  static_cast<Workers*>(self)->run();
  return nullptr;
}

Workers::Task Workers::next_task() {
  while (waiting_.empty()) {
    if (closing_) return nullptr;
    ++idle_;
    done_.notify_all();
    const bool woken = work_.wait_for(mutex_, idle_time_);
    --idle_;
    if (!woken && waiting_.empty()) return nullptr;
  }
  Task task = std::move(waiting_.front());
  waiting_.pop_front();
  return task;
}

Workers::Worker Workers::try_to_make_worker() const {
  try {
    return make_worker_();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void Workers::run() {
  const Worker worker = try_to_make_worker();
  mutex_.lock();
  while (worker) {
    Task task = next_task();
    if (task == nullptr) break;
    mutex_.unlock();
    worker(std::move(task));
    mutex_.lock();
  }
  --threads_;
  if (threads_ == 0) waiting_.clear();  // nobody is left to serve them: hang up
  ended_.push_back(pthread_self());
  done_.notify_all();
  mutex_.unlock();
}

}  // namespace berth::http
