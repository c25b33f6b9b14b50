#include "question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fixture.h"

namespace berth::service {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// Place in the request and whether the name is known.
std::vector<std::pair<std::uint32_t, bool>> places(const Question& question) {
  std::vector<std::pair<std::uint32_t, bool>> result;
  for (const auto& node : question.nodes) {
    result.emplace_back(node.requested, node.row.has_value());
  }
  return result;
}

class Ask : public ::testing::Test {
 protected:
  Question ask_about(const std::vector<std::string_view>& names) {
    args_.has_names = true;
    for (const auto name : names) args_.requested.push_back({name, name, {}});
    return ask(args_, newest_);
  }

  codec::ExtenderArgs args_;
  std::shared_ptr<const cluster::Snapshot> newest_ =
      snapshot_of(list_json({node_json("a", 1), node_json("b", 2)}), {}, Time{});
};

TEST_F(Ask, KeepsTheOrderOfTheRequest) {
  const Question question = ask_about({"b", "x", "a"});
  EXPECT_THAT(places(question), ElementsAre(Pair(0, true), Pair(1, false), Pair(2, true)));
  EXPECT_EQ(question.snapshot, newest_);
  EXPECT_EQ(newest_->topology().node(*question.nodes[0].row).name, "b");
}

TEST_F(Ask, TakesARepeatedNameOnceAtItsFirstPlace) {
  EXPECT_THAT(places(ask_about({"x", "a", "x", "b", "a", "y", "x"})),
              ElementsAre(Pair(0, false), Pair(1, true), Pair(3, true), Pair(5, false)));
}

TEST_F(Ask, KnowsNothingOfAnEmptyRequest) { EXPECT_THAT(places(ask_about({})), ElementsAre()); }

TEST_F(Ask, TakesFactsFromItemsAndTheRestFromTheCluster) {
  args_.has_nodes = true;
  model::Node item;
  item.name = "a";
  item.labels.set("from", "request");
  model::Node second = item;
  second.labels.set("from", "a repeated item");
  args_.nodes = {item, second};
  args_.requested = {{"a", "a", "{}", 0}, {"a", "a", "{}", 1}, {"b", "b", {}}, {"x", "x", {}}};
  const Question question = ask(args_, newest_);

  EXPECT_THAT(places(question), ElementsAre(Pair(0, true), Pair(2, true), Pair(3, false)));
  const auto& topology = question.snapshot->topology();
  EXPECT_EQ(topology.rows(), 2U);
  EXPECT_EQ(*topology.node(*question.nodes[0].row).labels.find("from"), "request");
  EXPECT_TRUE(topology.node(*question.nodes[1].row).labels.find("gpu"));
}

}  // namespace
}  // namespace berth::service
