#include "berth/base/published.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace berth {
namespace {

TEST(Published, IsNullUntilPublished) {
  Published<int> published;
  EXPECT_EQ(published.read(), nullptr);
  published.publish(std::make_shared<const int>(1));
  ASSERT_NE(published.read(), nullptr);
  EXPECT_EQ(*published.read(), 1);
}

TEST(Published, LeavesReadersWhatTheyRead) {
  Published<int> published(std::make_shared<const int>(1));
  const auto kept = published.read();
  published.publish(std::make_shared<const int>(2));
  EXPECT_EQ(*kept, 1);
  EXPECT_EQ(*published.read(), 2);
}

TEST(Published, LetsGoOfWhatNobodyReads) {
  auto first = std::make_shared<const int>(1);
  const std::weak_ptr<const int> watched = first;
  Published<int> published(std::move(first));
  EXPECT_FALSE(watched.expired());
  published.publish(nullptr);
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(published.read(), nullptr);
}

/// Two numbers that always agree, so that a torn read would show.
struct Pair {
  int a = 0;
  int b = 0;
};

TEST(Published, ShowsReadersWholeVersionsInOrder) {
  constexpr int versions = 2'000;
  Published<Pair> published(std::make_shared<const Pair>());
  std::atomic<bool> wrong = false;
  std::vector<std::thread> readers;
  readers.reserve(3);
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      int last = 0;
      while (last < versions) {
        const auto pair = published.read();
        if (pair->a != pair->b || pair->a < last) {
          wrong = true;
          return;
        }
        last = pair->a;
        std::this_thread::yield();
      }
    });
  }
  for (int i = 1; i <= versions; ++i) {
    published.publish(std::make_shared<const Pair>(Pair{i, i}));
  }
  for (auto& reader : readers) reader.join();
  EXPECT_FALSE(wrong);
}

TEST(Published, WaitsForWhatIsNewer) {
  Published<int> value(std::make_shared<const int>(1));
  const auto known = value.read();
  EXPECT_EQ(value.read_newer(nullptr, std::chrono::hours(1)), known);
  EXPECT_EQ(value.read_newer(known, std::chrono::nanoseconds(1)), known);
  std::thread publisher([&] { value.publish(std::make_shared<const int>(2)); });
  EXPECT_EQ(*value.read_newer(known, std::chrono::hours(1)), 2);
  publisher.join();
}

}  // namespace
}  // namespace berth
