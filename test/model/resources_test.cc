#include "berth/model/resources.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/model/print.h"

namespace berth::model {
namespace {

Quantity quantity(std::string_view text) { return *parse_quantity(text); }

std::vector<std::string> names(const ResourceList& list) {
  std::vector<std::string> result;
  for (const auto& entry : list) result.push_back(entry.name);
  return result;
}

TEST(ResourceList, AnswersZeroForWhatIsMissing) {
  const ResourceList list{{"cpu", quantity("2")}};
  EXPECT_EQ(list.get("cpu"), quantity("2"));
  EXPECT_EQ(list.get("memory"), Quantity());
  EXPECT_EQ(list.find("memory"), nullptr);
  EXPECT_NE(list.find("cpu"), nullptr);
  EXPECT_TRUE(ResourceList().empty());
}

TEST(ResourceList, KeepsNameOrderAndTheLastOfEqualNames) {
  const ResourceList list{
      {"memory", quantity("1Gi")}, {"cpu", quantity("1")}, {"memory", quantity("2Gi")}};
  EXPECT_EQ(names(list), (std::vector<std::string>{"cpu", "memory"}));
  EXPECT_EQ(list.get("memory"), quantity("2Gi"));
}

TEST(ResourceList, AddsByName) {
  ResourceList list{{"cpu", quantity("0.5m")}, {"memory", quantity("1Gi")}};
  list.add(ResourceList{{"cpu", quantity("0.5m")}, {"nvidia.com/gpu", quantity("1")}});
  EXPECT_EQ(list, (ResourceList{{"cpu", quantity("1m")},
                                {"memory", quantity("1Gi")},
                                {"nvidia.com/gpu", quantity("1")}}));
}

TEST(ResourceList, RaisesToTheLargerByName) {
  ResourceList list{{"cpu", quantity("2")}, {"memory", quantity("1Gi")}};
  list.raise_to(ResourceList{
      {"cpu", quantity("1")}, {"memory", quantity("2Gi")}, {"nvidia.com/gpu", quantity("0")}});
  EXPECT_EQ(list, (ResourceList{{"cpu", quantity("2")},
                                {"memory", quantity("2Gi")},
                                {"nvidia.com/gpu", quantity("0")}}));
}

TEST(ToUnits, CountsCpuInThousandthsAndAllElseWhole) {
  EXPECT_EQ(to_units("cpu", quantity("1.5")), ResourceUnits(1500));
  EXPECT_EQ(to_units("cpu", quantity("0.1m")), ResourceUnits(1));
  EXPECT_EQ(to_units("memory", quantity("0.1Ki")), ResourceUnits(103));
  EXPECT_EQ(to_units("nvidia.com/gpu", quantity("2")), ResourceUnits(2));
  EXPECT_EQ(to_units("pods", quantity("110")), ResourceUnits(110));
  EXPECT_EQ(to_units("memory", quantity("-1500m")), ResourceUnits(-2));
}

TEST(ToUnits, HasShortCutsForCpuAndMemory) {
  const ResourceList list{{"cpu", quantity("1.5")}, {"memory", quantity("32Gi")}};
  EXPECT_EQ(milli_cpu_of(list), MilliCpu(1500));
  EXPECT_EQ(memory_of(list), Bytes(32LL << 30));
  EXPECT_EQ(milli_cpu_of({}), MilliCpu(0));
  EXPECT_EQ(memory_of({}), Bytes(0));
}

}  // namespace
}  // namespace berth::model
