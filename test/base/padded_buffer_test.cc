#include "berth/base/padded_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace berth {
namespace {

/// Whether the bytes behind the end may be read and are zero.
bool is_padded(const PaddedBuffer& buffer) {
  const char* end = buffer.view().data() + buffer.size();
  return std::all_of(end, end + PaddedBuffer::kPadding, [](char c) { return c == '\0'; });
}

TEST(PaddedBuffer, StartsEmpty) {
  const PaddedBuffer buffer;
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.view(), "");
}

TEST(PaddedBuffer, KeepsWhatIsAppended) {
  PaddedBuffer buffer;
  std::string want;
  for (int i = 0; i < 1'000; ++i) {
    const std::string piece(static_cast<std::size_t>(i % 7), static_cast<char>('a' + i % 26));
    buffer.append(piece);
    want += piece;
  }
  EXPECT_EQ(buffer.view(), want);
  EXPECT_TRUE(is_padded(buffer));
}

TEST(PaddedBuffer, IsPaddedAtEverySize) {
  PaddedBuffer buffer;
  buffer.reserve(16);
  EXPECT_TRUE(is_padded(buffer));
  for (int i = 0; i < 200; ++i) {
    buffer.append("x");
    ASSERT_TRUE(is_padded(buffer)) << i;
  }
}

TEST(PaddedBuffer, DoesNotGrowWithinWhatWasReserved) {
  PaddedBuffer buffer;
  buffer.reserve(1'000);
  buffer.append("a");
  const char* before = buffer.view().data();
  buffer.append(std::string(999, 'b'));
  EXPECT_EQ(buffer.view().data(), before);
  EXPECT_EQ(buffer.capacity(), 1'000U);
  buffer.reserve(10);
  EXPECT_EQ(buffer.capacity(), 1'000U);
}

TEST(PaddedBuffer, ForgetsItsBytesButKeepsItsMemory) {
  PaddedBuffer buffer(std::string(100, 'a'));
  buffer.clear();
  EXPECT_TRUE(buffer.empty());
  EXPECT_GE(buffer.capacity(), 100U);
  buffer.append("bc");
  EXPECT_EQ(buffer.view(), "bc");
  EXPECT_TRUE(is_padded(buffer));
}

TEST(PaddedBuffer, GivesItsBytesAway) {
  PaddedBuffer from("abc");
  PaddedBuffer to(std::move(from));
  EXPECT_EQ(to.view(), "abc");
  PaddedBuffer assigned("xyz");
  assigned = std::move(to);
  EXPECT_EQ(assigned.view(), "abc");
  EXPECT_TRUE(is_padded(assigned));
}

TEST(PaddedBufferTest, DropsItsFront) {
  PaddedBuffer buffer("abcdef");
  buffer.drop_front(0);
  EXPECT_EQ(buffer.view(), "abcdef");
  buffer.drop_front(4);
  EXPECT_EQ(buffer.view(), "ef");
  EXPECT_EQ(std::string_view(buffer.view().data() + 2, PaddedBuffer::kPadding),
            std::string(PaddedBuffer::kPadding, '\0'));
  buffer.append("gh");
  EXPECT_EQ(buffer.view(), "efgh");
  buffer.drop_front(4);
  EXPECT_TRUE(buffer.empty());
}

}  // namespace
}  // namespace berth
