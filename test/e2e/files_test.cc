// Files that change while the program runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "test/e2e/fixture.h"

namespace berth::e2e {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Files : public EndToEnd {
 protected:
  static std::string configuration(const std::string& policy) {
    return "apiVersion: berth/v1alpha1\nkind: BerthConfiguration\npolicy:\n" + policy;
  }
  [[nodiscard]] bool passes(const std::string& body) const { return !filter(body).passes.empty(); }
  [[nodiscard]] double counted(const std::string& name) const {
    return metric(admin("/metrics").body, name);
  }
};

TEST_F(Files, NewClusterIsSeen) {
  start({"--cluster", folder_.write("cluster.json", one_node_cluster(4))});
  const std::string body = ask_for_a_gpu("\"a\"");
  EXPECT_TRUE(passes(body));
  folder_.write("cluster.json", one_node_cluster(0));
  EXPECT_TRUE(eventually([&] { return !passes(body); }));
  folder_.write("cluster.json", one_node_cluster(1));
  EXPECT_TRUE(eventually([&] { return passes(body); }));
}

TEST_F(Files, BrokenClusterLeavesTheOldOne) {
  start({"--cluster", folder_.write("cluster.json", one_node_cluster(4))});
  folder_.write("cluster.json", "{\"kind\":\"List\",\"items\":[");
  EXPECT_TRUE(
      eventually([&] { return counted(R"(berth_cluster_reloads_total{result="failure"})") >= 1; }));
  EXPECT_TRUE(passes(ask_for_a_gpu("\"a\"")));
  EXPECT_EQ(admin("/readyz").status, 200);
  EXPECT_TRUE(eventually([&] {
    return berth_->process().standard_error().find("cluster.json") != std::string::npos;
  }));
}

TEST_F(Files, NewPolicyIsFollowed) {
  // No label in the cluster fits this rule: hard refuses, soft does not.
  const std::string rule =
      "  gpu:\n    labelRule:\n    - {key: accelerator, operator: Exists}\n  affinity:\n    mode: ";
  start({"--cluster", folder_.write("cluster.json", one_node_cluster(4)), "--config",
         folder_.write("berth.yaml", configuration(rule + "hard\n"))});
  const std::string body = ask_for_a_gpu("\"a\"");
  EXPECT_THAT(filter(body).unresolvable.at("a"), HasSubstr("label"));
  folder_.write("berth.yaml", configuration(rule + "soft\n"));
  EXPECT_TRUE(eventually([&] { return passes(body); }));
}

TEST_F(Files, NewAnswerFormIsFollowed) {
  start({"--cluster", folder_.write("cluster.json", one_node_cluster(4)), "--config",
         folder_.write("berth.yaml", configuration("  answer: graded\n"))});
  const std::string body = ask_for_a_gpu("\"a\",\"ghost\"");
  EXPECT_THAT(prioritize(body).scores, ::testing::SizeIs(2));
  folder_.write("berth.yaml", configuration("  answer: decisive\n"));
  EXPECT_TRUE(eventually([&] {
    return harness::read_priorities(body, post("/prioritize", body).body,
                                    harness::ExpectedHosts::kWinnerOnly)
        .violations.empty();
  }));
}

TEST_F(Files, BrokenPolicyLeavesTheOldOne) {
  start({"--cluster", folder_.write("cluster.json", one_node_cluster(4)), "--config",
         folder_.write("berth.yaml", configuration("  affinity: {mode: soft}\n"))});
  folder_.write("berth.yaml", configuration("  affinity: {mode: sometimes}\n"));
  EXPECT_TRUE(
      eventually([&] { return counted(R"(berth_config_reloads_total{result="failure"})") >= 1; }));
  EXPECT_THAT(filter(ask_for_a_gpu("\"a\"")).passes, ElementsAre("a"));
  EXPECT_TRUE(eventually(
      [&] { return berth_->process().standard_error().find("sometimes") != std::string::npos; }));
}

}  // namespace
}  // namespace berth::e2e
