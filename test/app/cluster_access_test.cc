#include "berth/app/cluster_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/app/scratch.h"

namespace berth::app {
namespace {

using ::testing::HasSubstr;

std::string kubeconfig(const std::string& host) {
  return "current-context: x\nclusters: [{name: c, cluster: {server: 'https://" + host +
         "'}}]\nusers: [{name: u, user: {token: t}}]\n"
         "contexts: [{name: x, context: {cluster: c, user: u}}]\n";
}

class FindClusterTest : public ::testing::Test {
 protected:
  FindClusterTest() { environment_.service_account = folder_.path("none"); }
  std::string host() {
    const auto access = find_cluster(flags_, environment_);
    return access ? access->host : access.error().message;
  }
  Scratch folder_;
  ServeFlags flags_;
  ClusterEnvironment environment_;
};

TEST_F(FindClusterTest, TheFlagWinsOverTheEnvironment) {
  environment_.kubeconfig = folder_.write("env", kubeconfig("env"));
  EXPECT_EQ(host(), "env");
  flags_.kubeconfig_file = folder_.write("flag", kubeconfig("flag"));
  EXPECT_EQ(host(), "flag");
  flags_.context = "other";
  EXPECT_THAT(host(), HasSubstr("no context \"other\""));
}

TEST_F(FindClusterTest, TheEnvironmentWinsOverThePod) {
  environment_.service_account = folder_.path("");
  folder_.write("token", "t");
  environment_.service_host = "10.96.0.1";
  environment_.service_port = "443";
  EXPECT_EQ(host(), "10.96.0.1");
  environment_.kubeconfig = ":" + folder_.write("env", kubeconfig("env"));
  EXPECT_EQ(host(), "env");
}

TEST_F(FindClusterTest, SaysWhatCouldBeGiven) {
  EXPECT_THAT(host(), HasSubstr("serve needs a cluster: --cluster FILE"));
  EXPECT_THAT(host(), HasSubstr("--kubeconfig FILE"));
}

}  // namespace
}  // namespace berth::app
