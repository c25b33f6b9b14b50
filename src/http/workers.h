/// Threads that serve connections: started on demand, with small stacks, up to a bound.
#pragma once

#include <pthread.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "berth/base/mutex.h"
#include "connection.h"

namespace berth::http {

/// Thread-safe.
class Workers {
 public:
  using Task = std::unique_ptr<Connection>;
  using Worker = std::function<void(Task)>;

  /// Each thread calls `make_worker` once and the result for every task, which must not throw.
  Workers(std::size_t max_threads, std::chrono::milliseconds idle_time,
          std::function<Worker()> make_worker);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Never waits. Without a free thread below the bound the task waits for one; how many can wait
  /// is bounded by who submits.
  void submit(Task task) BERTH_EXCLUDES(mutex_);
  /// How many tasks wait although all threads are taken.
  [[nodiscard]] std::size_t crowd() BERTH_EXCLUDES(mutex_);
  /// False if tasks are still running or waiting after `patience`.
  [[nodiscard]] bool wait_until_done(std::chrono::milliseconds patience) BERTH_EXCLUDES(mutex_);
  /// Finishes what was submitted and joins all threads. Nothing may be submitted afterwards.
  void close() BERTH_EXCLUDES(mutex_);
  [[nodiscard]] std::size_t thread_count() BERTH_EXCLUDES(mutex_);

 private:
  static void* thread_main(void* self);
  [[nodiscard]] Worker try_to_make_worker() const;
  void run() BERTH_EXCLUDES(mutex_);
  [[nodiscard]] Task next_task() BERTH_REQUIRES(mutex_);
  void start_thread() BERTH_REQUIRES(mutex_);
  void join_ended() BERTH_REQUIRES(mutex_);

  const std::size_t max_threads_;
  const std::chrono::milliseconds idle_time_;
  const std::function<Worker()> make_worker_;

  Mutex mutex_;
  CondVar work_;
  CondVar done_;
  std::deque<Task> waiting_ BERTH_GUARDED_BY(mutex_);
  std::vector<pthread_t> ended_ BERTH_GUARDED_BY(mutex_);
  std::size_t threads_ BERTH_GUARDED_BY(mutex_) = 0;
  std::size_t idle_ BERTH_GUARDED_BY(mutex_) = 0;
  bool closing_ BERTH_GUARDED_BY(mutex_) = false;
};

}  // namespace berth::http
