#include "berth/kube/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace berth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Files by path.
class AccessTest : public ::testing::Test {
 protected:
  Result<Access> access(const std::vector<std::string>& paths, std::string_view context = "") {
    return access_from_kubeconfig(paths, context, reader());
  }
  ReadFile reader() {
    return [this](const std::string& path, std::size_t) -> Result<std::string> {
      const auto at = files_.find(path);
      if (at != files_.end()) return at->second;
      return Error{ErrorCode::kNotFound, "cannot read " + path + ": No such file or directory"};
    };
  }
  /// The message of a kubeconfig with this cluster and user.
  std::string refusal(const std::string& cluster, const std::string& user) {
    files_["/k/config"] = kubeconfig(cluster, user);
    const auto got = access({"/k/config"});
    return got ? "" : got.error().message;
  }
  static std::string kubeconfig(const std::string& cluster, const std::string& user) {
    return "apiVersion: v1\nkind: Config\ncurrent-context: main\n"
           "clusters: [{name: c, cluster: {" +
           cluster +
           "}}]\n"
           "users: [{name: u, user: {" +
           user +
           "}}]\n"
           "contexts: [{name: main, context: {cluster: c, user: u}},"
           " {name: nobody, context: {cluster: c}}, {name: bad, context: {cluster: x}}]\n";
  }
  std::map<std::string, std::string> files_;
};

constexpr const char* kServer = "server: 'https://10.0.0.1:6443'";

TEST_F(AccessTest, ReadsFilesBesideTheKubeconfig) {
  files_["/home/me/.kube/config"] =
      kubeconfig(std::string(kServer) + ", certificate-authority: ca.crt",
                 "client-certificate: /abs/me.crt, client-key: me.key, tokenFile: t/token");
  const auto got = access({"/home/me/.kube/config"});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->host, "10.0.0.1");
  EXPECT_EQ(got->port, 6443);
  EXPECT_TRUE(got->tls);
  EXPECT_FALSE(got->insecure_skip_tls_verify);
  EXPECT_EQ(got->certificate_authority.file, "/home/me/.kube/ca.crt");
  EXPECT_EQ(got->client_certificate.file, "/abs/me.crt");
  EXPECT_EQ(got->client_key.file, "/home/me/.kube/me.key");
  EXPECT_EQ(got->token_file, "/home/me/.kube/t/token");
  EXPECT_EQ(got->description, "context main of /home/me/.kube/config");
}

TEST_F(AccessTest, DataWinsOverFiles) {
  files_["c"] = kubeconfig(
      std::string(kServer) + ", certificate-authority: ca, certificate-authority-data: 'Q0E='",
      "token: secret, client-certificate-data: Y2VydA==, client-key-data: a2V5");
  const auto got = access({"c"});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->certificate_authority.text, "CA");
  EXPECT_EQ(got->certificate_authority.file, "");
  EXPECT_EQ(got->client_certificate.text, "cert");
  EXPECT_EQ(got->client_key.text, "key");
  EXPECT_EQ(got->token, "secret");
}

TEST_F(AccessTest, TakesServersApart) {
  struct Row {
    const char* server;
    const char* host;
    int port;
    const char* prefix;
    bool tls;
  };
  for (const Row& row :
       {Row{"https://k8s.example", "k8s.example", 443, "", true},
        Row{"https://[fd00::1]:6443/", "fd00::1", 6443, "", true},
        Row{"https://[::1]", "::1", 443, "", true},
        Row{"http://localhost:8001/k8s/c/7/", "localhost", 8001, "/k8s/c/7", false}}) {
    files_["c"] = kubeconfig("server: '" + std::string(row.server) + "'", "token: t");
    const auto got = access({"c"});
    ASSERT_TRUE(got) << row.server << ": " << got.error().message;
    EXPECT_EQ(got->host, row.host);
    EXPECT_EQ(got->port, row.port);
    EXPECT_EQ(got->path_prefix, row.prefix);
    EXPECT_EQ(got->tls, row.tls);
  }
  for (const char* server : {"", "10.0.0.1:6443", "https://", "https://:6443", "https://a:b",
                             "https://a:70000", "https://[::1", "https://a b", "ftp://a"}) {
    EXPECT_THAT(refusal("server: '" + std::string(server) + "'", "token: t"),
                HasSubstr("kubeconfig /k/config: clusters[c].server"))
        << server;
  }
}

TEST_F(AccessTest, TheFirstFileThatSaysSomethingWins) {
  files_["/a/one"] = "current-context: second\nusers: [{name: u, user: {token: first}}]\n";
  files_["/b/two"] =
      "current-context: ignored\n"
      "clusters: [{name: c, cluster: {server: 'https://b', certificate-authority: ca.pem}}]\n"
      "users: [{name: u, user: {token: other}}]\n"
      "contexts: [{name: second, context: {cluster: c, user: u}}]\n";
  const auto got = access({"/none", "/a/one", "/b/two"});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->token, "first");
  EXPECT_EQ(got->certificate_authority.file, "/b/ca.pem");
}

TEST_F(AccessTest, ChoosesTheContext) {
  files_["c"] = kubeconfig(kServer, "token: t");
  ASSERT_TRUE(access({"c"}, "nobody"));
  EXPECT_EQ(access({"c"}, "nobody")->token, "");
  EXPECT_THAT(access({"c"}, "nowhere").error().message, HasSubstr("no context \"nowhere\""));
  EXPECT_THAT(access({"c"}, "bad").error().message, HasSubstr("no cluster \"x\""));
  files_["empty"] = "";
  EXPECT_THAT(access({"empty"}).error().message, HasSubstr("current-context is not set"));
}

TEST_F(AccessTest, RefusesWhatItCannotRead) {
  EXPECT_THAT(access({"/none"}).error().message, HasSubstr("cannot read /none"));
  EXPECT_THAT(access({"/none", "/nor"}).error().message, HasSubstr("none of the files"));
  files_["bad"] = "a: [";
  EXPECT_THAT(access({"bad"}).error().message, HasSubstr("kubeconfig bad:1:"));
  files_["list"] = "[]";
  EXPECT_THAT(access({"list"}).error().message, HasSubstr("want a map"));
}

TEST_F(AccessTest, RefusesWhatItDoesNotSupport) {
  EXPECT_THAT(refusal(kServer, "exec: {command: aws}"), HasSubstr("users[u].exec: credential"));
  EXPECT_THAT(refusal(kServer, "exec: {command: aws}"), HasSubstr("\"aws\""));
  EXPECT_THAT(refusal(kServer, "auth-provider: {name: gcp}"), HasSubstr("auth-provider"));
  EXPECT_THAT(refusal(kServer, "username: me, password: x"), HasSubstr("basic authentication"));
  EXPECT_THAT(refusal(kServer, "as: admin"), HasSubstr("users[u].as: impersonation"));
  EXPECT_THAT(refusal(kServer, "client-certificate: a"), HasSubstr("come together"));
  EXPECT_THAT(refusal(kServer, "client-key-data: '***'"),
              HasSubstr("client-key-data: is not base64"));
  EXPECT_THAT(refusal(std::string(kServer) + ", proxy-url: 'http://p'", "token: t"),
              HasSubstr("proxy-url"));
}

TEST_F(AccessTest, InsecureOnlyIfTheFileSaysSo) {
  files_["c"] = kubeconfig(std::string(kServer) + ", insecure-skip-tls-verify: true", "token: t");
  EXPECT_TRUE(access({"c"})->insecure_skip_tls_verify);
  files_["c"] = kubeconfig(std::string(kServer) + ", tls-server-name: api.example", "token: t");
  EXPECT_FALSE(access({"c"})->insecure_skip_tls_verify);
  EXPECT_EQ(access({"c"})->tls_server_name, "api.example");
}

TEST_F(AccessTest, FindsItselfInAPod) {
  files_["/sa/token"] = "t";
  const auto got = access_in_cluster("10.96.0.1", "443", reader(), "/sa");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->host, "10.96.0.1");
  EXPECT_EQ(got->certificate_authority.file, "/sa/ca.crt");
  EXPECT_EQ(got->token_file, "/sa/token");
  EXPECT_EQ(access_in_cluster("", "443", reader(), "/sa").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(access_in_cluster("h", "443", reader(), "/no").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(access_in_cluster("h", "x", reader(), "/sa").error().message,
              HasSubstr("KUBERNETES_SERVICE_PORT"));
}

TEST(KubeconfigPathsTest, AreSeparatedByColons) {
  EXPECT_THAT(split_kubeconfig_paths("/a::/b:"), ElementsAre("/a", "/b"));
  EXPECT_THAT(split_kubeconfig_paths(""), IsEmpty());
}

}  // namespace
}  // namespace berth::kube
