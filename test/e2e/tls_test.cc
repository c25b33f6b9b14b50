// TLS with client certificates, as a kube-scheduler on another machine needs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "test/e2e/fixture.h"

namespace berth::e2e {
namespace {

using ::testing::HasSubstr;

struct ContextDeleter {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
struct SslDeleter {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

class Tls : public EndToEnd {
 protected:
  void SetUp() override {
    make_authority("ca");
    make_authority("stranger");
    make_certificate("server", "ca", "subjectAltName=IP:127.0.0.1");
    make_certificate("client", "ca", "subjectAltName=DNS:client");
    make_certificate("foreign", "stranger", "subjectAltName=DNS:foreign");
    cluster_ = folder_.write("cluster.json", one_node_cluster(4));
  }

  [[nodiscard]] std::string crt(const std::string& name) const {
    return folder_.path(name + ".crt");
  }
  [[nodiscard]] std::string key(const std::string& name) const {
    return folder_.path(name + ".key");
  }

  void start_with_tls() {
    start({"--cluster", cluster_, "--tls-cert", crt("server"), "--tls-key", key("server"),
           "--tls-client-ca", crt("ca")});
  }

  /// The reply to one request with this client certificate ("": none); nothing when TLS failed.
  [[nodiscard]] std::optional<harness::HttpReply> ask_as(const std::string& client) const {
    const std::unique_ptr<SSL_CTX, ContextDeleter> context(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    EXPECT_EQ(SSL_CTX_load_verify_locations(context.get(), crt("ca").c_str(), nullptr), 1);
    if (!client.empty()) {
      EXPECT_EQ(SSL_CTX_use_certificate_file(context.get(), crt(client).c_str(), SSL_FILETYPE_PEM),
                1);
      EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context.get(), key(client).c_str(), SSL_FILETYPE_PEM),
                1);
    }
    const harness::Connection connection(berth_->port());
    const timeval patience{harness::kPatience.count(), 0};
    setsockopt(connection.socket(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const std::unique_ptr<SSL, SslDeleter> ssl(SSL_new(context.get()));
    SSL_set_fd(ssl.get(), connection.socket());
    if (SSL_connect(ssl.get()) != 1) return std::nullopt;
    const std::string request = harness::scheduler_request("/filter", ask_for_a_gpu("\"a\""));
    if (SSL_write(ssl.get(), request.data(), static_cast<int>(request.size())) <= 0) {
      return std::nullopt;
    }
    std::string received;
    while (true) {
      if (auto reply = harness::take_reply(received)) return reply;
      std::array<char, 4096> piece{};
      const int count = SSL_read(ssl.get(), piece.data(), static_cast<int>(piece.size()));
      if (count <= 0) return std::nullopt;
      received.append(piece.data(), static_cast<std::size_t>(count));
    }
  }

  void make_authority(const std::string& name) const {
    openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=" + name, "-keyout", key(name), "-out", crt(name)});
  }
  void make_certificate(const std::string& name, const std::string& authority,
                        const std::string& extension) const {
    const std::string request = folder_.path(name + ".csr");
    openssl({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
             "/CN=" + name, "-keyout", key(name), "-out", request});
    openssl({"x509", "-req", "-in", request, "-CA", crt(authority), "-CAkey", key(authority),
             "-CAcreateserial", "-days", "2", "-extfile",
             folder_.write(name + ".ext", extension + "\n"), "-out", crt(name)});
  }

  std::string cluster_;

 private:
  static void openssl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), OPENSSL_PROGRAM);
    const harness::Program program(arguments);
    ASSERT_EQ(program.wait_for_exit(), 0) << program.standard_error();
  }
};

TEST_F(Tls, AnswersAClientWithACertificateOfItsAuthority) {
  start_with_tls();
  const auto reply = ask_as("client");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_THAT(harness::read_filter(ask_for_a_gpu("\"a\""), reply->body).passes,
              ::testing::ElementsAre("a"));
  EXPECT_THAT(berth_->process().standard_output(), HasSubstr("listening on https://127.0.0.1:"));
}

TEST_F(Tls, AnswersNobodyElse) {
  start_with_tls();
  EXPECT_FALSE(ask_as(""));
  EXPECT_FALSE(ask_as("foreign"));
  EXPECT_NE(post("/filter", ask_for_a_gpu("\"a\"")).status, 200);  // plain
  EXPECT_TRUE(ask_as("client"));
}

TEST_F(Tls, AllowsListeningBeyondLoopback) {
  start({"--cluster", cluster_, "--listen", "0.0.0.0:0", "--tls-cert", crt("server"), "--tls-key",
         key("server"), "--tls-client-ca", crt("ca")});
  EXPECT_TRUE(ask_as("client"));
}

TEST_F(Tls, WithoutClientCertificatesDoesNotAllowIt) {
  std::string complaint;
  EXPECT_EQ(run_to_its_end({"--cluster", cluster_, "--listen", "0.0.0.0:0", "--tls-cert",
                            crt("server"), "--tls-key", key("server")},
                           complaint),
            1);
  EXPECT_THAT(complaint, HasSubstr("--insecure-listen"));
}

TEST_F(Tls, DoesNotStartWithABadCertificate) {
  std::string complaint;
  EXPECT_EQ(run_to_its_end({"--cluster", cluster_, "--tls-cert", folder_.write("bad.crt", "x"),
                            "--tls-key", key("server")},
                           complaint),
            1);
  EXPECT_THAT(complaint, HasSubstr("bad.crt"));
}

TEST_F(Tls, TakesRenewedFiles) {
  // A second authority is added to the file that names whom to trust.
  start_with_tls();
  EXPECT_FALSE(ask_as("foreign"));
  folder_.write("ca.crt", harness::read_file(crt("ca")) + harness::read_file(crt("stranger")));
  EXPECT_TRUE(eventually([&] { return ask_as("foreign").has_value(); }));
  EXPECT_TRUE(ask_as("client"));
}

}  // namespace
}  // namespace berth::e2e
