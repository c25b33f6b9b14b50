#include "berth/base/mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace berth {
namespace {

struct Counter {
  Mutex mutex;
  CondVar changed;
  int count BERTH_GUARDED_BY(mutex) = 0;
};

TEST(Mutex, LetsOneThreadInAtATime) {
  constexpr int thread_count = 4;
  constexpr int rounds = 5'000;
  Counter counter;
  std::vector<std::thread> threads;
  threads.reserve(thread_count);
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) {
        const MutexLock lock(counter.mutex);
        ++counter.count;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const MutexLock lock(counter.mutex);
  EXPECT_EQ(counter.count, thread_count * rounds);
}

TEST(CondVar, WakesWhoWaits) {
  Counter counter;
  std::thread waiter([&] {
    const MutexLock lock(counter.mutex);
    while (counter.count == 0) counter.changed.wait(counter.mutex);
    ++counter.count;
  });
  {
    const MutexLock lock(counter.mutex);
    counter.count = 1;
  }
  counter.changed.notify_all();
  waiter.join();
  const MutexLock lock(counter.mutex);
  EXPECT_EQ(counter.count, 2);
}

TEST(CondVar, GivesUpAfterTheTimeout) {
  Counter counter;
  const MutexLock lock(counter.mutex);
  const auto start = std::chrono::steady_clock::now();
  const auto timeout = std::chrono::milliseconds(5);
  // It may wake for no reason, but not for ever.
  while (counter.changed.wait_for(counter.mutex, timeout)) {
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, timeout);
}

}  // namespace
}  // namespace berth
