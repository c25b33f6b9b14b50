#include "berth/model/amount.h"

#include <gtest/gtest.h>

namespace berth::model {
namespace {

template <typename A, typename B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <typename A, typename B>
concept Subtractable = requires(A a, B b) {
  a - b;
};
template <typename A, typename B>
concept Comparable = requires(A a, B b) {
  a < b;
};
template <typename A, typename B>
concept Assignable = requires(A a, B b) {
  a = b;
};

template <typename A, typename B>
constexpr bool kMix = Addable<A, B> || Subtractable<A, B> || Comparable<A, B> || Assignable<A, B>;

TEST(Amount, DoesNotMixUnits) {
  static_assert(Addable<MilliCpu, MilliCpu> && Subtractable<MilliCpu, MilliCpu> &&
                Comparable<MilliCpu, MilliCpu> && Assignable<MilliCpu&, MilliCpu>);
  static_assert(!kMix<MilliCpu, Bytes>);
  static_assert(!kMix<Bytes, GpuCount>);
  static_assert(!kMix<GpuCount, ResourceUnits>);
  static_assert(!kMix<MilliCpu, std::int64_t>);
  static_assert(!kMix<std::int64_t, MilliCpu>);
}

TEST(Amount, Counts) {
  EXPECT_EQ((Bytes(3) + Bytes(4)).count(), 7);
  EXPECT_EQ((Bytes(3) - Bytes(4)).count(), -1);
  EXPECT_LT(Bytes(3), Bytes(4));
  EXPECT_EQ(Bytes(), Bytes(0));
}

TEST(Amount, Saturates) {
  const Bytes most(INT64_MAX);
  const Bytes least(INT64_MIN);
  EXPECT_EQ(most + Bytes(1), most);
  EXPECT_EQ(least + Bytes(-1), least);
  EXPECT_EQ(most - Bytes(-1), most);
  EXPECT_EQ(least - Bytes(1), least);
  EXPECT_EQ(Bytes(0) - least, most);
  EXPECT_EQ(most + least, Bytes(-1));
}

}  // namespace
}  // namespace berth::model
