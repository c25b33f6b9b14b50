#include "berth/base/row_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace berth {
namespace {

RowSet set_of(std::size_t rows, const std::set<std::uint32_t>& members) {
  RowSet result(rows);
  for (const auto index : members) result.insert(Row{index});
  return result;
}

std::vector<std::uint32_t> members(const RowSet& set) {
  std::vector<std::uint32_t> result;
  set.for_each([&](Row row) { result.push_back(row.index); });
  return result;
}

TEST(RowSet, StartsEmpty) {
  for (const std::size_t rows : {0U, 1U, 64U, 65U}) {
    EXPECT_TRUE(RowSet(rows).empty());
    EXPECT_EQ(RowSet(rows).count(), 0U);
    EXPECT_EQ(RowSet(rows).size(), rows);
  }
}

TEST(RowSet, HoldsWhatWasInserted) {
  RowSet set = set_of(130, {0, 63, 64, 129});
  EXPECT_TRUE(set.contains(Row{63}));
  EXPECT_FALSE(set.contains(Row{62}));
  EXPECT_EQ(members(set), (std::vector<std::uint32_t>{0, 63, 64, 129}));
  set.erase(Row{63});
  EXPECT_EQ(members(set), (std::vector<std::uint32_t>{0, 64, 129}));
  EXPECT_FALSE(set.empty());
}

TEST(RowSet, HasNoBitsBehindItsEnd) {
  for (const std::size_t rows : {0U, 1U, 63U, 64U, 65U, 127U, 128U, 129U}) {
    EXPECT_EQ(RowSet::all(rows).count(), rows);
    EXPECT_EQ(RowSet(rows).complement(), RowSet::all(rows));
    EXPECT_TRUE(RowSet::all(rows).complement().empty());
    EXPECT_EQ(RowSet(rows).word_count(), words_for(rows));
  }
}

TEST(RowSet, ShowsItsWords) {
  RowSet set = set_of(70, {0, 1, 65});
  EXPECT_EQ(set.word(0), 3U);
  EXPECT_EQ(set.word(1), 2U);
  set.data()[1] = 1;
  EXPECT_TRUE(set.contains(Row{64}));
}

TEST(RowSet, AgreesWithAnOrdinarySet) {
  constexpr unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const auto rows = static_cast<std::uint32_t>(1 + random() % 200);
    std::set<std::uint32_t> a;
    std::set<std::uint32_t> b;
    for (std::uint32_t i = 0; i < rows; ++i) {
      if (random() % 3 == 0) a.insert(i);
      if (random() % 2 == 0) b.insert(i);
    }
    std::set<std::uint32_t> both;
    std::set<std::uint32_t> only_a;
    std::set<std::uint32_t> either = b;
    for (const auto index : a) {
      (b.count(index) != 0 ? both : only_a).insert(index);
      either.insert(index);
    }
    const auto with = [&](auto change) {
      RowSet set = set_of(rows, a);
      change(set, set_of(rows, b));
      return set;
    };
    EXPECT_EQ(with([](RowSet& x, const RowSet& y) { x &= y; }), set_of(rows, both));
    EXPECT_EQ(with([](RowSet& x, const RowSet& y) { x |= y; }), set_of(rows, either));
    EXPECT_EQ(with([](RowSet& x, const RowSet& y) { x -= y; }), set_of(rows, only_a));
    EXPECT_EQ(set_of(rows, a).count(), a.size());
    EXPECT_EQ(members(set_of(rows, a)), std::vector<std::uint32_t>(a.begin(), a.end()));
  }
}

}  // namespace
}  // namespace berth
