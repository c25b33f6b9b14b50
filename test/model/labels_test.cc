#include "berth/model/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace berth::model {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::Pointee;

std::vector<Labels::Entry> entries(const Labels& labels) { return {labels.begin(), labels.end()}; }

TEST(Labels, FindsWhatWasSet) {
  Labels labels;
  EXPECT_TRUE(labels.empty());
  labels.set("b", "2");
  labels.set("a", "1");
  labels.set("c", "");
  EXPECT_THAT(labels.find("a"), Pointee(std::string("1")));
  EXPECT_THAT(labels.find("c"), Pointee(std::string()));
  EXPECT_EQ(labels.find("d"), nullptr);
  EXPECT_EQ(labels.find(""), nullptr);
  EXPECT_EQ(labels.size(), 3U);
}

TEST(Labels, KeepsKeyOrderWhateverTheOrderOfSetting) {
  const Labels labels{{"b", "2"}, {"c", "3"}, {"a", "1"}};
  EXPECT_THAT(entries(labels), ElementsAre(Pair("a", "1"), Pair("b", "2"), Pair("c", "3")));
  EXPECT_EQ(labels, (Labels{{"c", "3"}, {"a", "1"}, {"b", "2"}}));
}

TEST(Labels, LetsTheLastOfEqualKeysStay) {
  const Labels labels{{"b", "1"}, {"a", "1"}, {"b", "2"}, {"a", "2"}, {"b", "3"}};
  EXPECT_THAT(entries(labels), ElementsAre(Pair("a", "2"), Pair("b", "3")));
  Labels set;
  set.set("a", "1");
  set.set("a", "2");
  EXPECT_THAT(entries(set), ElementsAre(Pair("a", "2")));
}

TEST(Labels, AreBuiltInBulkFromAHostileOrder) {
  const int count = 200'000;
  std::vector<Labels::Entry> backwards;
  backwards.reserve(count);
  for (int i = count; i > 0; --i) backwards.emplace_back(std::to_string(1'000'000 + i), "");
  const auto start = std::chrono::steady_clock::now();
  const Labels labels(std::move(backwards));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(labels.size(), static_cast<std::size_t>(count));
  EXPECT_NE(labels.find("1000001"), nullptr);
}

}  // namespace
}  // namespace berth::model
