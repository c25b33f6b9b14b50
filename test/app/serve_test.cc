// The whole program in this process: files in, sockets out.
#include "berth/app/serve.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "test/app/scratch.h"

namespace berth::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// One request over a connection of its own; the whole answer, head and body, or "" when refused.
std::string send_request(const std::string& url, const std::string& request_line,
                         const std::string& body = "") {
  const std::size_t colon = url.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string answer;
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    const std::string request = request_line +
                                " HTTP/1.1\r\nHost: berth\r\nConnection: close\r\n"
                                "Content-Length: " +
                                std::to_string(body.size()) + "\r\n\r\n" + body;
    EXPECT_EQ(::send(fd, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    std::array<char, 4096> piece{};
    for (ssize_t got = 0; (got = ::recv(fd, piece.data(), piece.size(), 0)) > 0;) {
      answer.append(piece.data(), static_cast<std::size_t>(got));
    }
  }
  ::close(fd);
  return answer;
}

/// Asks until the answer has `part`, or far too long.
std::string ask_until(const std::function<std::string()>& ask, std::string_view part) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::string answer;
  do {
    answer = ask();
  } while (answer.find(part) == std::string::npos && std::chrono::steady_clock::now() < deadline);
  return answer;
}

std::string cluster_with(std::string_view name) {
  return R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":")" + std::string(name) +
         R"(","uid":"u","labels":{"gpu":"true"}},"status":{"allocatable":{"cpu":"8",)"
         R"("memory":"32Gi","pods":"110","nvidia.com/gpu":"4"}}}]})";
}

constexpr std::string_view kArguments =
    R"({"Pod":{"metadata":{"name":"p","namespace":"d","uid":"x"},"spec":{"containers":[{"name":)"
    R"("c","resources":{"requests":{"cpu":"1","nvidia.com/gpu":"1"}}}]}},"Nodes":null,)"
    R"("NodeNames":["n1"]})";

class ServingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    scratch_.write("cluster", cluster_with("n1"));
    flags_.cluster_file = scratch_.path("cluster");
    flags_.listen = Endpoint{"127.0.0.1", 0};
    flags_.admin_listen = Endpoint{"127.0.0.1", 0};
  }

  /// The log goes nowhere: lines come from several threads, and what they say is tested elsewhere.
  [[nodiscard]] Result<std::unique_ptr<Serving>> start() const {
    return start_serving(flags_, [](std::string_view) {});
  }

  void configure(std::string_view body) {
    scratch_.replace("config",
                     "apiVersion: berth/v1alpha1\nkind: BerthConfiguration\n" + std::string(body));
    flags_.config_file = scratch_.path("config");
  }

  Scratch scratch_;
  ServeFlags flags_;
};

TEST_F(ServingTest, AnswersBothVerbsUnderBothPrefixes) {
  const auto berth = start();
  ASSERT_TRUE(berth) << berth.error().message;
  for (const char* prefix : {"/", "/v1/"}) {
    const std::string body(kArguments);
    EXPECT_THAT(send_request((*berth)->url(), "POST " + std::string(prefix) + "filter", body),
                AllOf(StartsWith("HTTP/1.1 200"), HasSubstr(R"("NodeNames":["n1"])")));
    EXPECT_THAT(send_request((*berth)->url(), "POST " + std::string(prefix) + "prioritize", body),
                AllOf(StartsWith("HTTP/1.1 200"), HasSubstr(R"({"Host":"n1","Score":10})")));
  }
  EXPECT_THAT(send_request((*berth)->url(), "GET /metrics"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(send_request((*berth)->url(), "GET /filter"), StartsWith("HTTP/1.1 405"));
}

TEST_F(ServingTest, ShowsHealthReadinessAndMetricsOnTheOtherListener) {
  const auto berth = start();
  ASSERT_TRUE(berth) << berth.error().message;
  const std::string admin = (*berth)->admin_url();
  EXPECT_THAT(send_request(admin, "GET /healthz"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("ok")));
  EXPECT_THAT(send_request(admin, "GET /readyz"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("ok")));
  (void)send_request((*berth)->url(), "POST /filter", "nonsense");
  EXPECT_THAT(send_request(admin, "GET /metrics"),
              AllOf(HasSubstr("berth_nodes{readiness=\"ready\"} 1\n"),
                    HasSubstr("berth_requests_total{outcome=\"bad_request\",verb=\"filter\"} 1\n"),
                    HasSubstr("berth_cluster_reloads_total{result=\"success\"} 1\n")));
  EXPECT_THAT(send_request(admin, "POST /filter"), StartsWith("HTTP/1.1 404"));
}

TEST_F(ServingTest, CountsAndExplainsWhatItsListenersRefuse) {
  configure("limits: {namesBodyBytes: 1Ki, nodesBodyBytes: 2Ki}\n");
  const auto berth = start();
  ASSERT_TRUE(berth) << berth.error().message;
  (void)send_request((*berth)->url(), "POST /berth/filter", std::string(kArguments));
  EXPECT_THAT(send_request((*berth)->url(), "POST /filter", std::string(2049, ' ')),
              AllOf(StartsWith("HTTP/1.1 413"),
                    HasSubstr("body: more than 2048 bytes, the limit (limits.nodesBodyBytes)")));
  EXPECT_THAT(send_request((*berth)->url(), "POST /filter",
                           std::string(kArguments) + std::string(1500, ' ')),
              AllOf(StartsWith("HTTP/1.1 413"), HasSubstr("limit 1024 (limits.namesBodyBytes)")));
  const std::string refusals = "berth_http_refusals_total{listener=\"listen\",reason=";
  EXPECT_THAT(send_request((*berth)->admin_url(), "GET /metrics"),
              AllOf(HasSubstr(refusals + "\"unknown_path\"} 1\n"),
                    HasSubstr(refusals + "\"body_too_large\"} 1\n")));
}

TEST_F(ServingTest, FollowsItsClusterFile) {
  const auto berth = start();
  ASSERT_TRUE(berth) << berth.error().message;
  const auto ask = [&] {
    return send_request((*berth)->url(), "POST /filter", std::string(kArguments));
  };
  scratch_.replace("cluster", cluster_with("n2"));
  EXPECT_THAT(ask_until(ask, R"("NodeNames":[])"), HasSubstr(R"("NodeNames":[])"));
  scratch_.replace("cluster", "{\"kind\":\"List\",\"items\":[");
  const auto metrics = [&] { return send_request((*berth)->admin_url(), "GET /metrics"); };
  const char* failed = "berth_cluster_reloads_total{result=\"failure\"} 1\n";
  EXPECT_THAT(ask_until(metrics, failed), HasSubstr(failed));
  EXPECT_THAT(metrics(), HasSubstr("berth_snapshot_nodes 1\n"));  // the old cluster stays
  scratch_.replace("cluster", cluster_with("n1"));
  EXPECT_THAT(ask_until(ask, R"("NodeNames":["n1"])"), HasSubstr(R"("NodeNames":["n1"])"));
}

TEST_F(ServingTest, FollowsThePolicyInItsConfiguration) {
  configure("policy: {answer: graded}\n");
  const auto berth = start();
  ASSERT_TRUE(berth) << berth.error().message;
  const auto ask = [&] {
    return send_request((*berth)->url(), "POST /filter", std::string(kArguments));
  };
  EXPECT_THAT(ask(), HasSubstr(R"("NodeNames":["n1"])"));
  configure(
      "policy: {affinity: {mode: hard}, gpu: {labelRule: [{key: other, operator: Exists}]}}\n");
  EXPECT_THAT(ask_until(ask, R"("NodeNames":[])"), HasSubstr(R"("NodeNames":[])"));
}

TEST_F(ServingTest, RefusesConnectionsOnceStopped) {
  const auto berth = start();
  ASSERT_TRUE(berth) << berth.error().message;
  const std::string url = (*berth)->url();
  const std::string admin = (*berth)->admin_url();
  (*berth)->stop();
  EXPECT_EQ(send_request(url, "POST /filter", std::string(kArguments)), "");
  EXPECT_EQ(send_request(admin, "GET /healthz"), "");
}

TEST_F(ServingTest, SaysWhichFileIsMissingOrBroken) {
  flags_.cluster_file = scratch_.path("none");
  EXPECT_THAT(start().error().message,
              AllOf(StartsWith("cannot read "), HasSubstr("none: No such file")));
  scratch_.write("broken", "{\"kind\":");
  flags_.cluster_file = scratch_.path("broken");
  EXPECT_THAT(start().error().message, HasSubstr("broken: "));
  flags_.config_file = scratch_.path("nothing");
  EXPECT_THAT(start().error().message, HasSubstr("nothing: No such file"));
  configure("listne: 127.0.0.1:1\n");
  EXPECT_THAT(start().error().message,
              HasSubstr("config:3:1: listne: unknown key; did you mean \"listen\"?"));
}

TEST_F(ServingTest, FailsWhenAPortIsTakenAndGivesTheOtherBack) {
  const auto first = start();
  ASSERT_TRUE(first) << first.error().message;
  const auto port_of = [](const std::string& url) {
    return std::stoi(url.substr(url.rfind(':') + 1));
  };
  flags_.listen = Endpoint{"127.0.0.1", port_of((*first)->url())};
  EXPECT_THAT(start().error().message, HasSubstr(std::to_string(flags_.listen->port)));
  flags_.listen = Endpoint{"127.0.0.1", 0};
  flags_.admin_listen = Endpoint{"127.0.0.1", port_of((*first)->admin_url())};
  EXPECT_THAT(start().error().message, HasSubstr(std::to_string(flags_.admin_listen->port)));
}

TEST_F(ServingTest, NamesABadCertificate) {
  scratch_.write("cert", "not a certificate");
  flags_.tls_certificate_file = scratch_.path("cert");
  flags_.tls_key_file = scratch_.path("cert");
  EXPECT_THAT(start().error().message, HasSubstr("cert"));
}

}  // namespace
}  // namespace berth::app
