// What is read of device classes, resource slices and resource claims, and what is refused.
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

template <typename Object>
Object object_of(Result<Object> (ObjectDecoder::*decode)(std::string_view), std::string_view json) {
  const PaddedBuffer text(json);
  ObjectDecoder decoder;
  auto object = (decoder.*decode)(text.view());
  EXPECT_TRUE(object) << object.error().message;
  return object ? *std::move(object) : Object{};
}

template <typename Object>
std::string refusal_of(Result<Object> (ObjectDecoder::*decode)(std::string_view),
                       std::string_view json) {
  const PaddedBuffer text(json);
  ObjectDecoder decoder;
  const auto object = (decoder.*decode)(text.view());
  return object ? "accepted" : object.error().message;
}

TEST(DeviceClassDecoder, ReadsEveryFieldThatPlacingNeeds) {
  const auto read = object_of(
      &ObjectDecoder::device_class,
      R"({"metadata":{"name":"gpu","uid":"u","resourceVersion":"7",)"
      R"("creationTimestamp":"2026-11-30T12:00:00Z","managedFields":[{}]},)"
      R"("spec":{"extendedResourceName":"nvidia.com/gpu","selectors":[)"
      R"({"cel":{"expression":"device.driver == 'd'"}},{"later":{}},null],"config":[{"x":1}]}})");
  EXPECT_EQ(read.name, "gpu");
  EXPECT_EQ(read.uid, "u");
  EXPECT_EQ(read.resource_version, "7");
  EXPECT_EQ(read.creation_time, *model::parse_rfc3339("2026-11-30T12:00:00Z"));
  EXPECT_EQ(read.extended_resource_name, "nvidia.com/gpu");
  EXPECT_THAT(read.selectors, ElementsAre("device.driver == 'd'", "", ""));
}

TEST(DeviceClassDecoder, MayBeBare) {
  const auto read = object_of(&ObjectDecoder::device_class, R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(read.extended_resource_name, "");
  EXPECT_THAT(read.selectors, IsEmpty());
  EXPECT_FALSE(read.creation_time);
}

TEST(ResourceSliceDecoder, ReadsEveryFieldThatPlacingNeeds) {
  const auto read = object_of(
      &ObjectDecoder::resource_slice,
      R"({"metadata":{"name":"s","uid":"u","resourceVersion":"7"},"spec":{"driver":"d",)"
      R"("pool":{"name":"p","generation":3,"resourceSliceCount":2},"nodeName":"n",)"
      R"("devices":[{"name":"gpu-0","attributes":{"type":{"string":"gpu"}}},{"name":"gpu-1"}]}})");
  EXPECT_EQ(read.name, "s");
  EXPECT_EQ(read.uid, "u");
  EXPECT_EQ(read.resource_version, "7");
  EXPECT_EQ(read.driver, "d");
  EXPECT_EQ(read.pool, "p");
  EXPECT_EQ(read.pool_generation, 3);
  EXPECT_EQ(read.pool_slices, 2);
  EXPECT_EQ(read.node_name, "n");
  ASSERT_EQ(read.devices.size(), 2U);
  EXPECT_EQ(read.devices[0].name, "gpu-0");
  EXPECT_EQ(read.devices[0].node_name, "");
  EXPECT_TRUE(read.devices[0].whole);
}

TEST(ResourceSliceDecoder, ReadsNodesPerDeviceAndSharedDevices) {
  const auto read = object_of(
      &ObjectDecoder::resource_slice,
      R"({"spec":{"nodeName":null,"perDeviceNodeSelection":true,"devices":[)"
      R"({"name":"a","nodeName":"n1"},{"name":"b","allNodes":true},)"
      R"({"name":"c","consumesCounters":[{"counterSet":"x"}]},{"name":"d","consumesCounters":[]},)"
      R"({"name":"e","allowMultipleAllocations":true}]}})");
  EXPECT_EQ(read.node_name, "");
  ASSERT_EQ(read.devices.size(), 5U);
  EXPECT_EQ(read.devices[0].node_name, "n1");
  EXPECT_EQ(read.devices[1].node_name, "");
  EXPECT_FALSE(read.devices[2].whole);
  EXPECT_TRUE(read.devices[3].whole);
  EXPECT_FALSE(read.devices[4].whole);
}

TEST(ResourceClaimDecoder, ReadsWhatItHolds) {
  const auto read =
      object_of(&ObjectDecoder::resource_claim,
                R"({"metadata":{"name":"c","namespace":"ml","uid":"u","resourceVersion":"7"},)"
                R"("status":{"allocation":{"devices":{"results":[)"
                R"({"request":"r","driver":"d","pool":"p","device":"gpu-0"},)"
                R"({"driver":"d","pool":"p","device":"gpu-1","adminAccess":true},)"
                R"({"driver":"d","pool":"p","device":"gpu-2","adminAccess":false}]}}}})");
  EXPECT_EQ(read.name, "c");
  EXPECT_EQ(read.namespace_name, "ml");
  EXPECT_EQ(read.uid, "u");
  EXPECT_EQ(read.resource_version, "7");
  EXPECT_THAT(read.allocated,
              ElementsAre(model::DeviceId{"d", "p", "gpu-0"}, model::DeviceId{"d", "p", "gpu-2"}));
}

TEST(ResourceClaimDecoder, HoldsNothingBeforeItIsAllocated) {
  for (const char* json :
       {R"({"metadata":{"name":"c"}})", R"({"status":{}})", R"({"status":{"allocation":null}})",
        R"({"status":{"allocation":{"devices":{}}}})"}) {
    EXPECT_THAT(object_of(&ObjectDecoder::resource_claim, json).allocated, IsEmpty()) << json;
  }
}

TEST(DeviceObjects, NameTheFieldOfAWrongType) {
  EXPECT_THAT(refusal_of(&ObjectDecoder::device_class, R"({"spec":{"extendedResourceName":1}})"),
              HasSubstr("spec.extendedResourceName: want a string, found the number 1"));
  EXPECT_THAT(refusal_of(&ObjectDecoder::device_class,
                         R"({"spec":{"selectors":[{"cel":{"expression":[]}}]}})"),
              HasSubstr("spec.selectors[0].cel.expression: want a string"));
  EXPECT_THAT(refusal_of(&ObjectDecoder::resource_slice, R"({"spec":{"pool":{"generation":"1"}}})"),
              HasSubstr("spec.pool.generation: want an integer"));
  EXPECT_THAT(refusal_of(&ObjectDecoder::resource_slice, R"({"spec":{"devices":[{"name":{}}]}})"),
              HasSubstr("spec.devices[0].name: want a string"));
  EXPECT_THAT(refusal_of(&ObjectDecoder::resource_claim,
                         R"({"status":{"allocation":{"devices":{"results":[{"driver":0}]}}}})"),
              HasSubstr("status.allocation.devices.results[0].driver: want a string"));
}

}  // namespace
}  // namespace berth::codec
