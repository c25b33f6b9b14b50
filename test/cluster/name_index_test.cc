#include "berth/cluster/name_index.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace berth::cluster {
namespace {

// Part of berth's node order: a release with other values would reorder every cluster.
TEST(HashName, IsTheSameInEveryRelease) {
  EXPECT_EQ(hash_name(""), 0x04be375a6856f500U);
  EXPECT_EQ(hash_name("node-1"), 0x463261d2c9c6835eU);
  EXPECT_EQ(hash_name("ip-10-0-12-34.eu-west-1.compute.internal"), 0x09141ca2aa63ed53U);
}

TEST(HashName, SpreadsNamesThatDifferInOnePlace) {
  std::set<std::uint64_t> low_halves;
  for (int i = 0; i < 10'000; ++i) {
    low_halves.insert(hash_name("node-" + std::to_string(i)) & 0xffffffffU);
  }
  EXPECT_GT(low_halves.size(), 9'995U);
}

TEST(HashName, TellsAZeroByteFromNothing) {
  EXPECT_NE(hash_name(std::string_view("a", 1)), hash_name(std::string_view("a\0", 2)));
}

TEST(NameIndex, FindsEveryNameAtItsRow) {
  std::vector<std::string> names;
  names.reserve(3000);
  for (int i = 0; i < 3000; ++i) names.push_back("pool-a-" + std::to_string(i * 7));
  const std::vector<std::string_view> views(names.begin(), names.end());
  const NameIndex index(views);

  ASSERT_EQ(index.size(), names.size());
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(index.find(names[i]), Row{i});
    EXPECT_EQ(index.name(Row{i}), names[i]);
  }
}

TEST(NameIndex, KnowsWhatIsNotInIt) {
  const std::vector<std::string_view> names = {"node-1", "node-10"};
  const NameIndex index(names);
  for (const char* other : {"", "node-", "node-2", "node-100", "NODE-1"}) {
    EXPECT_EQ(index.find(other), std::nullopt) << other;
  }
}

TEST(NameIndex, MayBeEmpty) {
  EXPECT_EQ(NameIndex().find("a"), std::nullopt);
  EXPECT_EQ(NameIndex().size(), 0U);
  const NameIndex built{std::span<const std::string_view>()};
  EXPECT_EQ(built.find("a"), std::nullopt);
  EXPECT_EQ(built.size(), 0U);
}

TEST(NameIndex, TakesTheEmptyName) {
  const std::vector<std::string_view> names = {"", "a"};
  const NameIndex index(names);
  EXPECT_EQ(index.find(""), Row{0});
  EXPECT_EQ(index.name(Row{0}), "");
}

}  // namespace
}  // namespace berth::cluster
