/// A mutex that clang's -Wthread-safety understands: mark what it guards with BERTH_GUARDED_BY.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define BERTH_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define BERTH_THREAD_ANNOTATION(x)
#endif

#define BERTH_CAPABILITY(x) BERTH_THREAD_ANNOTATION(capability(x))
#define BERTH_SCOPED_CAPABILITY BERTH_THREAD_ANNOTATION(scoped_lockable)
#define BERTH_GUARDED_BY(x) BERTH_THREAD_ANNOTATION(guarded_by(x))
#define BERTH_REQUIRES(...) BERTH_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define BERTH_ACQUIRE(...) BERTH_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define BERTH_RELEASE(...) BERTH_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define BERTH_EXCLUDES(...) BERTH_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

namespace berth {

class BERTH_CAPABILITY("mutex") Mutex {
 public:
  void lock() BERTH_ACQUIRE() { mutex_.lock(); }
  void unlock() BERTH_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// Holds a Mutex for a scope.
class BERTH_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) BERTH_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() BERTH_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// A condition variable for Mutex. Check the condition in a loop around wait().
class CondVar {
 public:
  void wait(Mutex& mutex) BERTH_REQUIRES(mutex) { condition_.wait(mutex); }

  /// Returns false when `timeout` passed first.
  bool wait_for(Mutex& mutex, std::chrono::nanoseconds timeout) BERTH_REQUIRES(mutex) {
    return condition_.wait_for(mutex, timeout) == std::cv_status::no_timeout;
  }

  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable_any condition_;
};

}  // namespace berth
