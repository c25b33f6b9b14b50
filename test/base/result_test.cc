#include "berth/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace berth {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Error{ErrorCode::kInvalidArgument, "odd: " + std::to_string(number)};
  return number / 2;
}

TEST(Result, CarriesAValue) {
  const auto result = half(8);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(*result, 4);
}

TEST(Result, CarriesAnError) {
  const auto result = half(7);
  ASSERT_FALSE(result);
  EXPECT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(result.error().message, "odd: 7");
}

TEST(Result, GivesItsValueAway) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(3));
  ASSERT_TRUE(result);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 3);
}

TEST(Result, LetsItsValueBeChanged) {
  Result<std::string> result(std::string("a"));
  result->push_back('b');
  *result += 'c';
  EXPECT_EQ(*result, "abc");
  EXPECT_EQ(result->size(), 3U);
}

TEST(Status, IsOkOrAnError) {
  EXPECT_TRUE(ok());
  const Status status = Error{ErrorCode::kUnavailable, "later"};
  EXPECT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace berth
