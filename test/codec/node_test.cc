// What is read of a node, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "berth/codec/objects.h"
#include "berth/model/time.h"

namespace berth::codec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<model::Node> decode(std::string_view json) {
  const PaddedBuffer text(json);
  return ObjectDecoder().node(text.view());
}

model::Node node_of(std::string_view json) {
  auto node = decode(json);
  EXPECT_TRUE(node) << node.error().message;
  return node ? *std::move(node) : model::Node{};
}

TEST(NodeDecoder, ReadsEveryFieldThatPlacingNeeds) {
  const model::Node node = node_of(
      R"({"metadata":{"name":"gpu-1","uid":"u","resourceVersion":"9",)"
      R"("creationTimestamp":"2026-11-30T12:00:00Z","labels":{"gpu":"true"}},)"
      R"("spec":{"unschedulable":true,"taints":[{"key":"k","value":"v","effect":"NoSchedule"},)"
      R"({"key":"k2","effect":"Strange","timeAdded":null}]},)"
      R"("status":{"capacity":{"cpu":"8","memory":"64Gi"},)"
      R"("allocatable":{"cpu":7.5,"nvidia.com/gpu":4}}})");
  EXPECT_EQ(node.name, "gpu-1");
  EXPECT_EQ(node.uid, "u");
  EXPECT_EQ(node.resource_version, "9");
  EXPECT_EQ(node.creation_time, *model::parse_rfc3339("2026-11-30T12:00:00Z"));
  EXPECT_EQ(node.labels, (model::Labels{{"gpu", "true"}}));
  EXPECT_TRUE(node.unschedulable);
  EXPECT_THAT(node.taints, ElementsAre(model::Taint{"k", "v", model::TaintEffect::kNoSchedule},
                                       model::Taint{"k2", "", model::TaintEffect::kUnknown}));
  EXPECT_EQ(node.capacity.get("memory").value(), std::int64_t{64} << 30);
  EXPECT_EQ(node.allocatable.get("cpu").milli_value(), 7500);
  EXPECT_EQ(node.allocatable.get("nvidia.com/gpu").value(), 4);
  EXPECT_THAT(node.invalid_quantities, IsEmpty());
}

TEST(NodeDecoder, TakesACreationTimeThatCannotBeReadForMissing) {
  EXPECT_FALSE(node_of(R"({"metadata":{"creationTimestamp":null}})").creation_time);
  EXPECT_FALSE(node_of(R"({"metadata":{"creationTimestamp":"yesterday"}})").creation_time);
  EXPECT_FALSE(node_of(R"({"metadata":{}})").creation_time);
}

TEST(NodeDecoder, CountsABadQuantityAsZeroAndNamesIt) {
  const model::Node node = node_of(
      R"({"status":{"capacity":{"cpu":"many"},"allocatable":{"cpu":"1","nvidia.com/gpu":"-2"}}})");
  EXPECT_THAT(node.invalid_quantities,
              ElementsAre(HasSubstr("status.capacity.cpu: "),
                          HasSubstr("status.allocatable.nvidia.com/gpu: \"-2\" is negative")));
  ASSERT_NE(node.capacity.find("cpu"), nullptr);
  EXPECT_EQ(node.capacity.get("cpu").value(), 0);
  EXPECT_EQ(node.allocatable.get("nvidia.com/gpu").value(), 0);
  EXPECT_EQ(node.allocatable.get("cpu").value(), 1);
}

TEST(NodeDecoder, NamesTheFieldOfAWrongType) {
  const auto message = [](std::string_view json) {
    const auto node = decode(json);
    return node ? std::string("accepted") : node.error().message;
  };
  EXPECT_THAT(message(R"({"spec":{"unschedulable":"true"}})"),
              HasSubstr("spec.unschedulable: want true or false, found \"true\""));
  EXPECT_THAT(message(R"({"spec":{"taints":[{"effect":1}]}})"),
              HasSubstr("spec.taints[0].effect: want a string, found the number 1"));
  EXPECT_THAT(message(R"({"status":{"allocatable":"x"}})"),
              HasSubstr("status.allocatable: want an object"));
  EXPECT_THAT(message(R"({"metadata":{"creationTimestamp":12}})"),
              HasSubstr("metadata.creationTimestamp: want a string"));
}

}  // namespace
}  // namespace berth::codec
