#include "berth/app/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "berth/cluster/state.h"

namespace berth::app {
namespace {

using cluster::Source;
using cluster::SourceStatus;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr seconds kLimit{180};

SourceStatus status(Source source, bool synced, seconds silent, std::string trouble = "") {
  return {source, synced, false, silent, std::move(trouble)};
}

TEST(ReadinessPageTest, OfAClusterFileIsOneLine) {
  EXPECT_TRUE(readiness_page(true, {}, kLimit).ready);
  EXPECT_EQ(readiness_page(true, {}, kLimit).text, "ok\n");
  EXPECT_FALSE(readiness_page(false, {}, kLimit).ready);
  EXPECT_EQ(readiness_page(false, {}, kLimit).text, "not ready: no cluster snapshot yet\n");
}

TEST(ReadinessPageTest, SaysHowItStandsWithEachSource) {
  SourceStatus absent = status(Source::kDeviceClasses, true, seconds(9));
  absent.absent = true;
  const auto page =
      readiness_page(false,
                     std::vector{status(Source::kNodes, true, seconds(2)),
                                 status(Source::kPods, false, seconds(3), "403: no"), absent},
                     kLimit);
  EXPECT_FALSE(page.ready);
  EXPECT_EQ(page.text,
            "not ready: no cluster snapshot yet\n"
            "nodes: synced, last heard of 2.0 s ago\n"
            "pods: not listed yet, last heard of 3.0 s ago: 403: no\n"
            "deviceclasses: not served, last heard of 9.0 s ago\n");
}

TEST(ReadinessPageTest, IsNotReadyWhenASourceIsStale) {
  const std::vector sources = {status(Source::kNodes, true, seconds(179)),
                               status(Source::kPods, true, seconds(180))};
  const auto page = readiness_page(true, sources, kLimit);
  EXPECT_FALSE(page.ready);
  EXPECT_THAT(page.text, HasSubstr("not ready: the API server is silent\n"));
  EXPECT_THAT(page.text,
              HasSubstr("pods: synced, last heard of 180.0 s ago, stale (limit 180.0 s)"));
  EXPECT_TRUE(readiness_page(true, {&sources[0], 1}, kLimit).ready);
}

TEST(NodesPageTest, ShowsWhatIsKnownOfANode) {
  cluster::ClusterState state{model::GpuPolicy{}};
  model::Node node;
  node.name = "a\"b";
  node.uid = "u";
  node.labels.set("gpu", "true");
  node.allocatable.set("nvidia.com/gpu", model::Quantity::from_units(2));
  node.allocatable.set("cpu", model::Quantity::from_units(4));
  state.upsert_node(node, Time{});
  model::Pod pod;
  pod.uid = "p";
  pod.node_name = node.name;
  pod.containers.resize(1);
  pod.containers[0].requests.set("nvidia.com/gpu", model::Quantity::from_units(3));
  pod.containers[0].requests.set("other/thing", model::Quantity::from_units(1));
  state.upsert_pod(pod);
  EXPECT_EQ(nodes_page(*state.snapshot(Time{}), Time{}),
            "{\"generation\":1,\"nodes\":[\n"
            R"({"name":"a\"b","uid":"u","readiness":"ready",)"
            R"("allocatable":{"cpu":4000,"nvidia.com/gpu":2},)"
            R"("held":{"nvidia.com/gpu":3,"other/thing":1,"pods":1},)"
            R"("free":{"cpu":4000,"nvidia.com/gpu":-1}})"
            "\n]}\n");
}

TEST(NodesPageTest, OfNoNodesIsAnEmptyList) {
  cluster::ClusterState state{model::GpuPolicy{}};
  EXPECT_EQ(nodes_page(*state.snapshot(Time{}), Time{}), "{\"generation\":1,\"nodes\":[\n]}\n");
}

}  // namespace
}  // namespace berth::app
