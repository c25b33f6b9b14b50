#include "berth/cluster/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "test/support/builders.h"

namespace berth::cluster {
namespace {

using model::NodeSelectorOperator;
using test_support::kNoon;
using test_support::node;
using test_support::quantity;
using test_support::requirement;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::shared_ptr<const Topology> topology_of(const std::vector<model::Node>& nodes,
                                            const model::GpuPolicy& policy = {}) {
  std::vector<std::shared_ptr<const NodeRecord>> records;
  records.reserve(nodes.size());
  for (const auto& each : nodes) {
    records.push_back(std::make_shared<const NodeRecord>(NodeRecord{each, {}}));
  }
  return Topology::build(records, policy);
}

std::vector<std::string> names(const Topology& topology, const RowSet& rows) {
  std::vector<std::string> result;
  rows.for_each([&](Row row) { result.push_back(topology.node(row).name); });
  return result;
}

std::vector<std::string> all_names(const Topology& topology) {
  return names(topology, RowSet::all(topology.rows()));
}

TEST(Topology, PutsNodesWithFewestGpusFirst) {
  const auto topology = topology_of(
      {node("eight").gpus(8), node("none"), node("two").gpus(1).has("nvidia.com/mig-1g.5gb", "1"),
       node("one").gpus(1), node("fpga").gpus(3).has("example.com/fpga", "9")});
  EXPECT_THAT(all_names(*topology), ElementsAre("none", "one", "two", "fpga", "eight"));
}

TEST(Topology, OrdersNodesWithTheSameGpusByTheHashOfTheirName) {
  std::vector<model::Node> nodes;
  nodes.reserve(100);
  for (int i = 0; i < 100; ++i) nodes.push_back(node("node-" + std::to_string(i)));
  const auto topology = topology_of(nodes);
  std::reverse(nodes.begin(), nodes.end());
  EXPECT_EQ(all_names(*topology), all_names(*topology_of(nodes)));
  for (std::uint32_t i = 1; i < topology->rows(); ++i) {
    EXPECT_LT(hash_name(topology->node(Row{i - 1}).name), hash_name(topology->node(Row{i}).name));
  }
}

TEST(Topology, FindsEveryNode) {
  const auto topology = topology_of({node("a").gpus(1), node("b")});
  EXPECT_EQ(topology->node(*topology->find("a")).name, "a");
  EXPECT_EQ(topology->node(*topology->find("b")).name, "b");
  EXPECT_EQ(topology->find("c"), std::nullopt);
}

TEST(Topology, MayHaveNoNodes) {
  const auto topology = topology_of({});
  EXPECT_EQ(topology->rows(), 0U);
  EXPECT_EQ(topology->padded_rows(), 0U);
  EXPECT_THAT(topology->resources(), IsEmpty());
  EXPECT_EQ(topology->label_pending(kNoon).size(), 0U);
}

TEST(Topology, HasAColumnForEveryResourceThatAnyNodeLists) {
  const auto topology = topology_of(
      {node("a").cpu("1500m").memory("1Gi"), node("b").cpu("2").has("example.com/fpga", "3")});
  EXPECT_THAT(topology->resources(),
              UnorderedElementsAre("cpu", "memory", "pods", "example.com/fpga"));
  EXPECT_EQ(topology->column("nvidia.com/gpu"), std::nullopt);

  const auto cpu = topology->allocatable(*topology->column("cpu"));
  ASSERT_EQ(cpu.size(), 64U);
  EXPECT_EQ(cpu[topology->find("a")->index], 1500);
  EXPECT_EQ(cpu[topology->find("b")->index], 2000);
  EXPECT_EQ(cpu[2], 0) << "beyond the last row";
  const ResourceColumn fpga = *topology->column("example.com/fpga");
  EXPECT_EQ(topology->allocatable(fpga)[topology->find("a")->index], 0);
  EXPECT_THAT(names(*topology, topology->rows_with(fpga)), ElementsAre("b"));
  EXPECT_FLOAT_EQ(topology->inverse_allocatable(fpga)[topology->find("b")->index], 1.0F / 3.0F);
  EXPECT_EQ(topology->inverse_allocatable(fpga)[topology->find("a")->index], 0.0F);
}

TEST(Topology, CountsANegativeAllocatableAsZero) {
  model::Node broken = node("broken");
  broken.allocatable.set("nvidia.com/gpu", model::Quantity::from_units(-8));
  const auto topology = topology_of({broken, node("fine").gpus(1)});
  const auto gpus = topology->allocatable(*topology->column("nvidia.com/gpu"));
  EXPECT_EQ(gpus[topology->find("broken")->index], 0);
  EXPECT_THAT(all_names(*topology), ElementsAre("broken", "fine"));
}

TEST(Topology, KeepsColumnsOfTheCommonResourcesWhenThereAreTooMany) {
  std::vector<model::Node> nodes;
  for (int n = 0; n < 3; ++n) {
    auto builder = node("n" + std::to_string(n)).cpu("4").gpus(1);
    for (int i = 0; i < 200; ++i) {
      builder.has("a.example/r" + std::to_string(n * 200 + i), "1");
    }
    nodes.push_back(builder);
  }
  const auto topology = topology_of(nodes);
  EXPECT_EQ(topology->resources().size(), kMaxResources);
  for (const char* common : {"cpu", "pods", "nvidia.com/gpu"}) {
    EXPECT_TRUE(topology->column(common)) << common;
  }
}

// "same" is on every node and becomes a bit set, "name" is different on each and becomes lists.
class TopologyLabels : public ::testing::Test {
 protected:
  TopologyLabels() {
    std::vector<model::Node> nodes;
    for (int i = 0; i < 200; ++i) {
      const std::string number = std::to_string(i);
      auto builder = node("n" + number).label("same", "yes").label("number", number);
      if (i == 7) builder.label("empty", "");
      nodes.push_back(builder);
    }
    topology_ = topology_of(nodes);
  }
  std::vector<std::string> matching(std::string_view key, NodeSelectorOperator op,
                                    std::vector<std::string> values = {}) {
    RowSet rows(topology_->rows());
    topology_->add_matching_rows(requirement(key, op, std::move(values)), rows);
    return names(*topology_, rows);
  }
  std::shared_ptr<const Topology> topology_;
};

TEST_F(TopologyLabels, AreFoundByValueWhetherCommonOrRare) {
  EXPECT_EQ(matching("same", NodeSelectorOperator::kIn, {"yes"}).size(), 200U);
  EXPECT_THAT(matching("number", NodeSelectorOperator::kIn, {"3", "150", "999"}),
              UnorderedElementsAre("n3", "n150"));
  EXPECT_THAT(matching("same", NodeSelectorOperator::kIn, {"no"}), IsEmpty());
  EXPECT_THAT(matching("other", NodeSelectorOperator::kIn, {"yes"}), IsEmpty());
  EXPECT_THAT(matching("empty", NodeSelectorOperator::kIn, {""}), ElementsAre("n7"));
}

TEST_F(TopologyLabels, OfMissingKeysSatisfyNotInAndDoesNotExist) {
  EXPECT_EQ(matching("other", NodeSelectorOperator::kNotIn, {"a"}).size(), 200U);
  EXPECT_EQ(matching("other", NodeSelectorOperator::kDoesNotExist).size(), 200U);
  EXPECT_EQ(matching("empty", NodeSelectorOperator::kDoesNotExist).size(), 199U);
  EXPECT_EQ(matching("number", NodeSelectorOperator::kNotIn, {"3", "4"}).size(), 198U);
  EXPECT_THAT(matching("other", NodeSelectorOperator::kExists), IsEmpty());
  EXPECT_THAT(matching("empty", NodeSelectorOperator::kExists), ElementsAre("n7"));
}

TEST_F(TopologyLabels, CompareAsIntegers) {
  EXPECT_THAT(matching("number", NodeSelectorOperator::kGt, {"197"}),
              UnorderedElementsAre("n198", "n199"));
  EXPECT_THAT(matching("number", NodeSelectorOperator::kLt, {"2"}),
              UnorderedElementsAre("n0", "n1"));
  EXPECT_THAT(matching("same", NodeSelectorOperator::kGt, {"0"}), IsEmpty());
  EXPECT_THAT(matching("other", NodeSelectorOperator::kLt, {"100"}), IsEmpty());
}

TEST_F(TopologyLabels, MatchNothingForAnInvalidRequirement) {
  EXPECT_THAT(matching("number", NodeSelectorOperator::kGt, {"1", "2"}), IsEmpty());
  EXPECT_THAT(matching("number", NodeSelectorOperator::kNotIn), IsEmpty());
  EXPECT_THAT(matching("a/b/c", NodeSelectorOperator::kDoesNotExist), IsEmpty());
  EXPECT_THAT(matching("same", NodeSelectorOperator::kUnknown, {"yes"}), IsEmpty());
}

TEST(Topology, KnowsWhereATaintKeepsAPodAway) {
  const auto topology =
      topology_of({node("free"), node("gpu").taint("nvidia.com/gpu", ""),
                   node("both").taint("nvidia.com/gpu", "").taint("team", "a"),
                   node("soft").taint("x", "", model::TaintEffect::kPreferNoSchedule),
                   node("evicting").taint("x", "", model::TaintEffect::kNoExecute)});
  const auto kept_away = [&](const std::vector<model::Toleration>& tolerations) {
    RowSet rows(topology->rows());
    topology->add_untolerated_rows(tolerations, rows);
    return names(*topology, rows);
  };
  EXPECT_THAT(kept_away({}), UnorderedElementsAre("gpu", "both", "evicting"));
  EXPECT_THAT(kept_away({{"nvidia.com/gpu", model::TolerationOperator::kExists, "", ""}}),
              UnorderedElementsAre("both", "evicting"));
  EXPECT_THAT(kept_away({{"", model::TolerationOperator::kExists, "", ""}}), IsEmpty());
}

TEST(Topology, KnowsCordonedNodes) {
  const auto topology = topology_of({node("open"), node("shut").cordoned()});
  EXPECT_THAT(names(*topology, topology->cordoned()), ElementsAre("shut"));
}

TEST(Topology, KeepsReadinessInputsAsSetsOfRows) {
  const auto topology =
      topology_of({node("ready").gpus(8).label("gpu", "true"), node("bare").gpus(8),
                   node("cpu-only"), node("lost").label("gpu", "true"),
                   node("mig").gpus(2).label("nvidia.com/mig.config.state", "pending"),
                   node("going").gpus(1).taint("ToBeDeletedByClusterAutoscaler", "1700000000")});
  EXPECT_THAT(names(*topology, topology->label_rule_holds()),
              UnorderedElementsAre("ready", "lost"));
  EXPECT_THAT(names(*topology, topology->gpus_allocatable()),
              UnorderedElementsAre("ready", "bare", "mig", "going"));
  EXPECT_THAT(names(*topology, topology->reconfiguring()), ElementsAre("mig"));
  EXPECT_THAT(names(*topology, topology->leaving()), ElementsAre("going"));
  EXPECT_THAT(names(*topology, topology->gpu_sign().complement()), ElementsAre("cpu-only"));
  EXPECT_TRUE(topology->readiness_inputs(*topology->find("ready")).label_rule_holds);
}

TEST(Topology, CallsLabelsPendingWhileGraceRuns) {
  using std::chrono::minutes;
  const auto topology = topology_of(
      {node("newest").gpus(1).created(kNoon), node("older").gpus(1).created(kNoon - minutes(5)),
       node("old").gpus(1).created(kNoon - minutes(10)), node("ageless").gpus(1),
       node("cpu").created(kNoon), node("labelled").gpus(1).label("gpu", "true").created(kNoon)});
  EXPECT_THAT(names(*topology, topology->label_pending(kNoon)),
              UnorderedElementsAre("newest", "older"));
  EXPECT_THAT(names(*topology, topology->label_pending(kNoon + minutes(5))), ElementsAre("newest"));
  EXPECT_THAT(names(*topology, topology->label_pending(kNoon + minutes(10))), IsEmpty());
}

}  // namespace
}  // namespace berth::cluster
