// Whichever clone this processor gets, it must compute what the plain loops compute, bit by bit.
#include "kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "test/placement/plain_kernel.h"

namespace berth::placement {
namespace {

constexpr std::size_t kWords = 5;
constexpr std::size_t kRows = 64 * kWords;

class Kernel : public ::testing::Test {
 protected:
  std::vector<float> fractions() {
    std::vector<float> values(kRows);
    for (auto& value : values) value = static_cast<float>(random_() % 1000) / 999.0F;
    return values;
  }
  std::vector<std::uint64_t> words() {
    std::vector<std::uint64_t> values(kWords);
    for (auto& value : values) value = random_();
    values[1] = 0;
    values[2] = ~std::uint64_t{0};
    return values;
  }
  std::mt19937_64 random_{42};
};

void expect_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(a[i]), std::bit_cast<std::uint32_t>(b[i])) << i;
  }
}

TEST_F(Kernel, SplitsRowsByRoomAtTheEnds) {
  std::vector<std::int64_t> free(kRows);
  for (auto& room : free) room = static_cast<std::int64_t>(random_());
  free[0] = INT64_MAX;
  free[1] = INT64_MIN;
  free[2] = 1;
  free[3] = 0;
  // A word in which every row has the room.
  std::fill(free.begin() + 64 * 3, free.begin() + 64 * 4, INT64_MAX);
  std::vector<std::int64_t> least(kWords);
  for (std::size_t w = 0; w < kWords; ++w) {
    least[w] = *std::min_element(&free[w * 64], &free[w * 64] + 64);
  }
  for (const std::int64_t request : {std::int64_t{1}, INT64_MAX, free[9], free[9] + 1}) {
    const auto before = words();
    auto remaining = before;
    std::vector<std::uint64_t> refused(kWords, 77);
    const bool any = kernel::split_by_room({free.data(), least.data()}, request, remaining.data(),
                                           refused.data(), kWords);
    bool expect_any = false;
    for (std::size_t i = 0; i < kRows; ++i) {
      const bool was = ((before[i / 64] >> (i % 64)) & 1U) != 0;
      EXPECT_EQ(((remaining[i / 64] >> (i % 64)) & 1U) != 0, was && free[i] >= request) << i;
      EXPECT_EQ(((refused[i / 64] >> (i % 64)) & 1U) != 0, was && free[i] < request) << i;
      expect_any |= was && free[i] < request;
    }
    EXPECT_EQ(any, expect_any);
  }
}

TEST_F(Kernel, MeansAreTheSameInEveryClone) {
  std::vector<std::vector<float>> held;
  std::vector<std::vector<float>> inverse;
  std::vector<std::vector<std::uint64_t>> present;
  for (int k = 0; k < 4; ++k) {
    held.push_back(fractions());
    inverse.push_back(fractions());
    present.push_back(words());
    for (std::size_t i = 0; i < kRows; ++i) {
      const bool has = ((present.back()[i / 64] >> (i % 64)) & 1U) != 0;
      inverse.back()[i] = has ? inverse.back()[i] + 0.001F : 0.0F;
      held.back()[i] = has ? held.back()[i] : 0.0F;
    }
  }
  const auto rows = words();
  for (std::size_t count = 0; count <= 4; ++count) {
    std::vector<kernel::UsedShare> shares;
    for (std::size_t k = 0; k < count; ++k) {
      shares.push_back({held[k].data(), inverse[k].data(), present[k].data(),
                        static_cast<float>(k) * 0.37F, 1.0F + static_cast<float>(k)});
    }
    std::vector<float> values(kRows);
    std::vector<float> expected(kRows);
    kernel::mean_used(shares, rows.data(), values.data(), kWords);
    plain_mean_used(shares, rows.data(), expected.data(), kWords);
    expect_same_bits(values, expected);
    for (const float value : values) EXPECT_TRUE(value >= 0 && value <= 1) << value;
  }
}

TEST_F(Kernel, ScoresAreTheSameInEveryClone) {
  const auto passing = words();
  const auto high = words();
  const auto low = words();
  const auto wished = words();
  std::vector<std::int32_t> sums(kRows, 0);
  kernel::add_weight(wished.data(), 70, sums.data(), kWords);
  kernel::add_weight(low.data(), 30, sums.data(), kWords);
  const std::int32_t largest = kernel::largest(sums.data(), passing.data(), kWords);
  EXPECT_EQ(largest, 100);
  for (const auto* affinity : {sums.data(), static_cast<std::int32_t*>(nullptr)}) {
    const kernel::ScoreParts parts{passing.data(), high.data(), low.data(), affinity, 0.01F,
                                   0.3F,           0.7F,        2.0F,       -1.0F};
    auto values = fractions();
    auto expected = values;
    kernel::combine(parts, values.data(), kWords);
    plain_combine(parts, expected.data(), kWords);
    expect_same_bits(values, expected);
  }
}

TEST_F(Kernel, FindsNoLargestSumWhereNothingPasses) {
  const std::vector<std::int32_t> sums(kRows, 5);
  const std::vector<std::uint64_t> none(kWords, 0);
  EXPECT_EQ(kernel::largest(sums.data(), none.data(), kWords), 0);
}

}  // namespace
}  // namespace berth::placement
