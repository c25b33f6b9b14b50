// Saved clusters: lists, documents, and items that are not what they should be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "berth/codec/objects.h"

namespace berth::codec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kNode = R"({"kind":"Node","metadata":{"name":"n"}})";
constexpr const char* kPod = R"({"metadata":{"name":"p","namespace":"d"},"kind":"Pod"})";

Result<ClusterObjects> decode(std::string_view text) { return decode_cluster(PaddedBuffer(text)); }

ClusterObjects objects_of(std::string_view text) {
  auto objects = decode(text);
  EXPECT_TRUE(objects) << objects.error().message;
  return objects ? *std::move(objects) : ClusterObjects{};
}

std::string list(const std::string& items, const std::string& kind = "List") {
  return R"({"apiVersion":"v1","items":[)" + items + R"(],"kind":")" + kind +
         R"(","metadata":{"resourceVersion":""}})";
}

struct ShapeCase {
  const char* name;
  std::string text;
  std::size_t nodes;
  std::size_t pods;
  std::size_t ignored;
};
class ClusterShape : public ::testing::TestWithParam<ShapeCase> {};

TEST_P(ClusterShape, IsRead) {
  const ClusterObjects objects = objects_of(GetParam().text);
  EXPECT_THAT(objects.nodes, SizeIs(GetParam().nodes));
  EXPECT_THAT(objects.pods, SizeIs(GetParam().pods));
  EXPECT_EQ(objects.ignored, GetParam().ignored);
  EXPECT_THAT(objects.problems, IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(
    Of, ClusterShape,
    ::testing::Values(
        ShapeCase{"List", list(std::string(kNode) + " , \n" + kPod), 1, 1, 0},
        ShapeCase{"EmptyList", list(""), 0, 0, 0},
        ShapeCase{"ListOfNull", R"({"kind":"NodeList","items":null})", 0, 0, 0},
        ShapeCase{"OtherKinds", list(R"({"kind":"Secret"},{"kind":"ReplicaSet","spec":{"x":5}})"),
                  0, 0, 2},
        ShapeCase{"NodeListWithoutKinds", list(R"({"metadata":{"name":"a"}})", "NodeList"), 1, 0,
                  0},
        ShapeCase{"PodListWithoutKinds", list(R"({"metadata":{"name":"a"}})", "PodList"), 0, 1, 0},
        ShapeCase{"OtherListWithoutKinds", list(R"({"metadata":{"name":"a"}})", "SecretList"), 0, 0,
                  1},
        ShapeCase{"SingleNode", kNode, 1, 0, 0}, ShapeCase{"SinglePod", kPod, 0, 1, 0},
        ShapeCase{"SingleOther", R"({"kind":"Namespace","metadata":{"name":"a"}})", 0, 0, 1},
        ShapeCase{"SeveralDocuments", "\n" + list(kNode) + "\n\n" + kPod + kNode + "\n", 2, 1, 0},
        ShapeCase{"KindBeforeItems", R"({"kind":"NodeList","items":[{"metadata":{"name":"a"}}]})",
                  1, 0, 0}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ClusterList, LeavesOutABadItemAlone) {
  const ClusterObjects objects = objects_of(list(
      std::string(kNode) +
      R"(,{"kind":"Pod","metadata":{"namespace":"default","name":"x"},"spec":{"containers":5}})"
      R"(,{"kind":"Node","metadata":{}},{"kind":"Pod","metadata":{"namespace":"q"}})"
      R"(,7,{"metadata":{"name":"kindless"}},)" +
      kPod));
  EXPECT_THAT(objects.nodes, SizeIs(1));
  EXPECT_THAT(objects.pods, SizeIs(1));
  EXPECT_THAT(
      objects.problems,
      ElementsAre("items[1] Pod default/x: spec.containers: want an array, found the number 5",
                  "items[2] Node: metadata.name is missing",
                  "items[3] Pod q/: metadata.name is missing",
                  HasSubstr("items[4]: want an object with a kind, found 7"),
                  HasSubstr("items[5]: want an object with a kind, found {")));
}

TEST(ClusterList, ReadsTheObjectsOfDra) {
  const std::string item = R"({"metadata":{"name":"a"}})";
  const ClusterObjects objects =
      objects_of(list(R"({"kind":"DeviceClass","metadata":{"name":"a"}},)"
                      R"({"kind":"ResourceSlice","metadata":{"name":"a"}},)"
                      R"({"kind":"ResourceClaim","metadata":{"name":"a"}})") +
                 list(item, "DeviceClassList") + list(item, "ResourceSliceList") +
                 list(item, "ResourceClaimList"));
  EXPECT_THAT(objects.devices.classes, SizeIs(2));
  EXPECT_THAT(objects.devices.slices, SizeIs(2));
  EXPECT_THAT(objects.devices.claims, SizeIs(2));
  EXPECT_EQ(objects.ignored, 0U);
  EXPECT_THAT(objects.problems, IsEmpty());
}

TEST(ClusterList, LeavesOutABadObjectOfDraAlone) {
  const ClusterObjects objects =
      objects_of(list(R"({"kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"devices":1}},)"
                      R"({"kind":"DeviceClass"},)"
                      R"({"kind":"ResourceClaim","metadata":{"namespace":"q"}},)"
                      R"({"kind":"ResourceSlice","metadata":{"name":"good"}})"));
  EXPECT_THAT(objects.devices.slices, SizeIs(1));
  EXPECT_THAT(
      objects.problems,
      ElementsAre("items[0] ResourceSlice s: spec.devices: want an array, found the number 1",
                  "items[1] DeviceClass: metadata.name is missing",
                  "items[2] ResourceClaim q/: metadata.name is missing"));
}

TEST(ClusterList, NamesTheDocumentOfAProblem) {
  const ClusterObjects objects = objects_of(std::string(kNode) + R"({"kind":"Node"})");
  EXPECT_THAT(objects.problems, ElementsAre("document 2 object Node: metadata.name is missing"));
}

TEST(ClusterList, TakesTooDeepAnItemForAProblemOfItsOwn) {
  std::string deep = R"({"kind":"Node","metadata":{"name":"deep"},"x":)";
  for (int i = 0; i < 100; ++i) deep += R"({"a":)";
  deep += "1" + std::string(101, '}');
  const ClusterObjects objects = objects_of(list(deep + "," + kNode));
  EXPECT_THAT(objects.nodes, SizeIs(1));
  EXPECT_THAT(objects.problems, ElementsAre(HasSubstr("items[0] Node deep: nested deeper")));
}

TEST(ClusterList, KeepsBadQuantitiesWithTheirObject) {
  const ClusterObjects objects = objects_of(
      list(R"({"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"?"}}})"));
  ASSERT_THAT(objects.nodes, SizeIs(1));
  EXPECT_THAT(objects.nodes[0].invalid_quantities, SizeIs(1));
  EXPECT_THAT(objects.problems, IsEmpty());
}

struct NotJsonCase {
  const char* name;
  std::string text;
};
class ClusterNotJson : public ::testing::TestWithParam<NotJsonCase> {};

TEST_P(ClusterNotJson, IsAnError) {
  const auto objects = decode(GetParam().text);
  ASSERT_FALSE(objects);
  EXPECT_EQ(objects.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(objects.error().message.empty());
}
INSTANTIATE_TEST_SUITE_P(
    Text, ClusterNotJson,
    ::testing::Values(
        NotJsonCase{"Empty", ""}, NotJsonCase{"WhiteSpace", " \n"},
        NotJsonCase{"Yaml", "apiVersion: v1\nkind: List\n"}, NotJsonCase{"Array", "[]"},
        NotJsonCase{"Truncated", list(kNode).substr(0, 40)},
        NotJsonCase{"TruncatedBetweenItems", R"({"kind":"List","items":[{"kind":"Node"},)"},
        NotJsonCase{"TrailingComma", list(std::string(kNode) + ",")},
        NotJsonCase{"GarbageInItem", list(R"({"kind":"Node","metadata":{"name":x}})")},
        NotJsonCase{"GarbageInIgnoredItem", list(R"({"kind":"Secret","a":tru})")},
        NotJsonCase{"GarbageInAnotherMember", R"({"kind":"List","x":tru,"items":[]})"},
        NotJsonCase{"GarbageBehind", list(kNode) + "]"},
        NotJsonCase{"NulBehind", list(kNode) + std::string(1, '\0')}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ClusterList, ReadsManyItems) {
  std::string items;
  for (int i = 0; i < 20'000; ++i) {
    if (i != 0) items += ",";
    items += R"({"kind":"Node","metadata":{"name":"n)" + std::to_string(i) + R"("}})";
  }
  EXPECT_THAT(objects_of(list(items)).nodes, SizeIs(20'000));
}

}  // namespace
}  // namespace berth::codec
