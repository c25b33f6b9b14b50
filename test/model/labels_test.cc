#include "berth/model/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace berth::model {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Optional;
using ::testing::Pair;

std::vector<Labels::Entry> entries(const Labels& labels) { return {labels.begin(), labels.end()}; }

TEST(Labels, FindsWhatWasSet) {
  Labels labels;
  EXPECT_TRUE(labels.empty());
  labels.set("b", "2");
  labels.set("a", "1");
  labels.set("c", "");
  EXPECT_THAT(labels.find("a"), Optional(std::string_view("1")));
  EXPECT_THAT(labels.find("c"), Optional(std::string_view()));
  EXPECT_FALSE(labels.find("d"));
  EXPECT_FALSE(labels.find(""));
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
  std::vector<std::string> keys;
  for (int i = count; i > 0; --i) keys.push_back(std::to_string(1'000'000 + i));
  std::vector<Labels::Entry> backwards;
  for (const std::string& key : keys) backwards.emplace_back(key, "");
  const auto start = std::chrono::steady_clock::now();
  const Labels labels(std::move(backwards));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(labels.size(), static_cast<std::size_t>(count));
  EXPECT_TRUE(labels.find("1000001"));
}

// Against std::map, in any order of setting.
TEST(Labels, AgreeWithAMap) {
  const std::uint64_t seed = 20261130;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 300; ++round) {
    Labels labels;
    std::map<std::string, std::string> map;
    for (int i = 0; i < 40; ++i) {
      const std::string key(random() % 4, static_cast<char>('a' + random() % 5));
      const std::string value(random() % 30, 'v');
      labels.set(key, value);
      map[key] = value;
      ASSERT_THAT(entries(labels),
                  ElementsAreArray(std::vector<Labels::Entry>(map.begin(), map.end())))
          << "seed " << seed << ", round " << round;
      ASSERT_THAT(labels.find(key), Optional(std::string_view(value)));
    }
    ASSERT_EQ(labels, Labels(std::vector<Labels::Entry>(map.begin(), map.end())));
  }
}

}  // namespace
}  // namespace berth::model
