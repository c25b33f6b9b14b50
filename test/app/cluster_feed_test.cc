#include "berth/app/cluster_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr Time kNow{std::chrono::hours(24 * 365 * 50)};

constexpr std::string_view kYaml = R"(
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1, uid: u1, labels: {gpu: "true"}}
  status:
    allocatable: {cpu: 8, memory: 32Gi, pods: "110", nvidia.com/gpu: "4"}
- apiVersion: v1
  kind: Pod
  metadata: {name: p, namespace: d, uid: u2}
  spec:
    nodeName: n1
    containers:
    - name: c
      resources: {requests: {cpu: 500m, nvidia.com/gpu: 1}}
)";

constexpr std::string_view kJson =
    R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"n1","uid":"u1"}},)"
    R"({"kind":"Node","metadata":{"name":"n2","uid":"u2"}}]})";

class ClusterFeedTest : public ::testing::Test {
 protected:
  telemetry::Log log_{{telemetry::LogFormat::kText, telemetry::LogLevel::kWarn,
                       [this](std::string_view line) { lines_.emplace_back(line); }}};
  std::vector<std::string> lines_;
  telemetry::Metrics metrics_{"v"};
  FixedClock clock_{kNow};
  Published<cluster::Snapshot> snapshots_;
  ClusterFeed feed_{model::GpuPolicy{}, snapshots_, clock_, metrics_, log_};
};

TEST_F(ClusterFeedTest, PublishesWhatYamlSays) {
  ASSERT_TRUE(feed_.load(kYaml));
  const auto snapshot = snapshots_.read();
  ASSERT_NE(snapshot, nullptr);
  EXPECT_EQ(snapshot->rows(), 1U);
  EXPECT_EQ(snapshot->taken_at(), kNow);
  const auto gpus = snapshot->topology().column("nvidia.com/gpu");
  ASSERT_TRUE(gpus);
  EXPECT_EQ(snapshot->free(*gpus)[0], 3);
  const auto cpu = snapshot->topology().column("cpu");
  ASSERT_TRUE(cpu);
  EXPECT_EQ(snapshot->free(*cpu)[0], 7500);
  EXPECT_THAT(metrics_.expose({}), HasSubstr("berth_snapshot_pods 1\n"));
}

TEST_F(ClusterFeedTest, PublishesWhatJsonSaysWithAByteOrderMark) {
  ASSERT_TRUE(feed_.load("\xEF\xBB\xBF \n" + std::string(kJson)));
  EXPECT_EQ(snapshots_.read()->rows(), 2U);
}

TEST_F(ClusterFeedTest, ReadsSeveralDocuments) {
  ASSERT_TRUE(
      feed_.load("---\nkind: Node\nmetadata: {name: a, uid: a}\n---\n# none\n---\n"
                 "kind: NodeList\nitems: [{metadata: {name: b, uid: b}}]\n"));
  EXPECT_EQ(snapshots_.read()->rows(), 2U);
}

TEST_F(ClusterFeedTest, KeepsTheOldClusterWhenTheNewTextIsBroken) {
  ASSERT_TRUE(feed_.load(kJson));
  const auto before = snapshots_.read();
  for (const std::string_view broken :
       {std::string_view(""), std::string_view(" \n"), kJson.substr(0, kJson.size() / 2),
        std::string_view("# begun"), std::string_view("a: [")}) {
    EXPECT_FALSE(feed_.load(broken)) << broken;
    EXPECT_EQ(snapshots_.read(), before);
  }
}

struct NoCluster {
  const char* name;
  const char* text;
  const char* why;
};
class ClusterFeedRefuses : public ClusterFeedTest,
                           public ::testing::WithParamInterface<NoCluster> {};

TEST_P(ClusterFeedRefuses, WhatIsNoCluster) {
  ASSERT_TRUE(feed_.load(kJson));
  const auto before = snapshots_.read();
  const Status loaded = feed_.load(GetParam().text);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(loaded.error().message, HasSubstr(GetParam().why));
  EXPECT_EQ(snapshots_.read(), before);
}
INSTANTIATE_TEST_SUITE_P(
    Texts, ClusterFeedRefuses,
    ::testing::Values(
        NoCluster{"EmptyObject", "{}", "no Node or Pod in it that can be read: object: want"},
        NoCluster{"ListWithoutItems", R"({"kind":"List"})", "no Node or Pod in it"},
        NoCluster{"NullItems", R"({"kind":"List","items":null})", "no Node or Pod in it"},
        NoCluster{"Status", R"({"kind":"Status","code":401})",
                  "no Node or Pod in it, only objects of other kinds (1)"},
        NoCluster{"OtherItems", R"({"kind":"List","items":[{"kind":"Service"},{"kind":"Job"}]})",
                  "only objects of other kinds (2)"},
        NoCluster{"UnreadableItems",
                  R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":7}},{"a":1}]})",
                  "that can be read: items[0] Node : metadata.name: want a string, found the "
                  "number 7 (and 1 more)"},
        NoCluster{"Yaml", "a: b\n", "no Node or Pod in it"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(ClusterFeedTest, TakesAnEmptyListAtItsWordAndWarns) {
  ASSERT_TRUE(feed_.load(kJson));
  ASSERT_TRUE(feed_.load(R"({"kind":"List","items":[]})"));
  EXPECT_EQ(snapshots_.read()->rows(), 0U);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("0 nodes")));
}

TEST_F(ClusterFeedTest, NamesObjectsThatAreThereTwice) {
  const std::string twice =
      R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"a"}},)"
      R"({"kind":"Node","metadata":{"name":"b"}},{"kind":"Node","metadata":{"name":"a"}},)"
      R"({"kind":"Pod","metadata":{"name":"p","namespace":"n"}},)"
      R"({"kind":"Pod","metadata":{"name":"p","namespace":"n"}},)"
      R"({"kind":"Pod","metadata":{"name":"p","namespace":"m"}}]})";
  ASSERT_TRUE(feed_.load(twice));
  EXPECT_THAT(lines_, ElementsAre(AllOf(HasSubstr("one name"), HasSubstr("why=\"Node a\"")),
                                  HasSubstr("why=\"Pod n/p\"")));
  EXPECT_EQ(snapshots_.read()->rows(), 2U);
}

TEST_F(ClusterFeedTest, SaysWhereYamlIsBroken) {
  EXPECT_THAT(feed_.load("kind: List\nitems: [\n").error().message, HasSubstr("line "));
}

TEST_F(ClusterFeedTest, KeepsTheHistoryOfNodes) {
  const auto node = [](bool labelled) {
    return std::string(
               "kind: Node\nmetadata: {name: node, uid: u, creationTimestamp: "
               "\"2001-01-01T00:00:00Z\", labels: {") +
           (labelled ? "gpu: \"true\"" : "") + "}}\nstatus: {allocatable: {nvidia.com/gpu: 1}}\n";
  };
  ASSERT_TRUE(feed_.load(node(true)));
  ASSERT_EQ(snapshots_.read()->rows(), 1U);
  ASSERT_TRUE(feed_.load(node(false)));
  ASSERT_EQ(snapshots_.read()->rows(), 1U);
  EXPECT_EQ(snapshots_.read()->topology().history(Row{0}).label_vanished, kNow);
}

TEST_F(ClusterFeedTest, LogsAProblemOnceWhileItStays) {
  const std::string with_problem =
      R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":7}},)"
      R"({"kind":"Node","metadata":{"name":"n","uid":"u"}}]})";
  ASSERT_TRUE(feed_.load(with_problem));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("item of the cluster left out")));
  ASSERT_TRUE(feed_.load(with_problem + "\n"));
  EXPECT_THAT(lines_, SizeIs(1));
  ASSERT_TRUE(feed_.load(kJson));
  ASSERT_TRUE(feed_.load(with_problem));
  EXPECT_THAT(lines_, SizeIs(2));
}

TEST_F(ClusterFeedTest, NamesQuantitiesThatItCannotReadOnceWhileTheyStay) {
  const std::string cluster =
      "kind: Node\nmetadata: {name: n1, uid: u1}\n"
      "status: {allocatable: {cpu: 8, nvidia.com/gpu: four, memory: -1}}\n---\n"
      "kind: Pod\nmetadata: {name: p, namespace: d, uid: u2}\nspec:\n  nodeName: n1\n"
      "  containers: [{name: c, resources: {requests: {cpu: 1 000m}}}]\n";
  ASSERT_TRUE(feed_.load(cluster));
  EXPECT_THAT(
      lines_,
      ElementsAre(AllOf(HasSubstr("counts as 0"), HasSubstr("Node n1: status.allocatable.memory"),
                        HasSubstr("(and 1 more)")),
                  AllOf(HasSubstr("counts as 0"),
                        HasSubstr("Pod d/p: spec.containers[0].resources.requests.cpu"),
                        HasSubstr("1 000m"))));
  const std::string page = metrics_.expose({});
  EXPECT_THAT(page, HasSubstr("berth_unreadable_quantities_total{of=\"node\"} 2\n"));
  EXPECT_THAT(page, HasSubstr("berth_unreadable_quantities_total{of=\"pod\"} 1\n"));
  ASSERT_TRUE(feed_.load(cluster + "# again\n"));
  EXPECT_THAT(lines_, SizeIs(2));
}

TEST_F(ClusterFeedTest, CountsGpusOfDraAndSaysOnceWhatItCannotCount) {
  const auto cluster = [](const char* selector) {
    return std::string(
               "kind: Node\nmetadata: {name: n1, uid: u1}\n---\n"
               "kind: DeviceClass\nmetadata: {name: gpu}\nspec:\n"
               "  extendedResourceName: nvidia.com/gpu\n"
               "  selectors: [{cel: {expression: \"") +
           selector +
           "\"}}]\n---\n"
           "kind: ResourceSlice\nmetadata: {name: s}\nspec:\n"
           "  driver: d\n  pool: {name: n1, generation: 1, resourceSliceCount: 1}\n"
           "  nodeName: n1\n  devices: [{name: a}, {name: b}]\n---\n"
           "kind: ResourceClaim\nmetadata: {name: c, namespace: ml}\nstatus:\n"
           "  allocation: {devices: {results: [{driver: d, pool: n1, device: a}]}}\n";
  };
  ASSERT_TRUE(feed_.load(cluster("device.driver == 'd'")));
  const auto snapshot = snapshots_.read();
  const auto gpus = snapshot->topology().column("nvidia.com/gpu");
  ASSERT_TRUE(gpus);
  EXPECT_EQ(snapshot->topology().allocatable(*gpus)[0], 2);
  EXPECT_EQ(snapshot->free(*gpus)[0], 1);
  EXPECT_THAT(lines_, SizeIs(0));

  ASSERT_TRUE(feed_.load(cluster("device.driver == 'd' && device.x")));
  ASSERT_TRUE(feed_.load(cluster("device.driver == 'd' && device.x")));
  EXPECT_THAT(lines_, ElementsAre(AllOf(HasSubstr("devices are not counted"),
                                        HasSubstr("DeviceClass gpu"))));
  EXPECT_TRUE(snapshots_.read()->topology().gpus_allocatable().contains(Row{0}));
}

TEST_F(ClusterFeedTest, JudgesTheSameClusterByAnotherPolicy) {
  model::GpuPolicy policy;
  policy.resources = {"cpu-of-sorts"};
  feed_.set_gpu_policy(policy);
  EXPECT_EQ(snapshots_.read(), nullptr);  // nothing was loaded yet
  ASSERT_TRUE(feed_.load(kYaml));
  EXPECT_FALSE(snapshots_.read()->topology().gpus_allocatable().contains(Row{0}));
  feed_.set_gpu_policy(model::GpuPolicy{});
  EXPECT_TRUE(snapshots_.read()->topology().gpus_allocatable().contains(Row{0}));
}

}  // namespace
}  // namespace berth::app
