/// TLS: who is let in, who is not, and certificates that change.
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "test/http/certificates.h"
#include "test/http/fixture.h"

namespace berth::http::test {
namespace {

using std::chrono::steady_clock;

/// A client that trusts `ca` alone and shows `identity` when asked.
SslContext client_context(const Identity& ca, const Identity* identity = nullptr) {
  SslContext context(SSL_CTX_new(TLS_client_method()));
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ca.certificate());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (identity != nullptr) {
    SSL_CTX_use_certificate(context.get(), identity->certificate());
    SSL_CTX_use_PrivateKey(context.get(), identity->key());
  }
  return context;
}

class TlsTest : public ServerTest {
 protected:
  [[nodiscard]] ServerOptions tls_options(bool with_client_ca = false) {
    ServerOptions options;
    options.name = "scheduler";
    options.tls = std::make_unique<TlsOptions>();
    options.tls->certificate_file = folder_.write("tls.crt", identity_.certificate_pem());
    options.tls->key_file = folder_.write("tls.key", identity_.key_pem());
    if (with_client_ca) {
      options.tls->client_ca_file = folder_.write("ca.crt", client_ca_.certificate_pem());
    }
    options.on_event = [this](const std::string& event) {
      const std::lock_guard lock(events_mutex_);
      events_.push_back(event);
    };
    return options;
  }
  /// The reply to GET /hello over a new TLS connection.
  [[nodiscard]] std::optional<Reply> hello(SSL_CTX* context) const {
    Client client = connect();
    if (!client.start_tls(context)) return std::nullopt;
    return client.ask(get("/hello"));
  }
  [[nodiscard]] std::vector<std::string> events() {
    const std::lock_guard lock(events_mutex_);
    return events_;
  }
  /// Opens connections until `done` holds; false after 10 seconds. The server looks at its files
  /// once a second.
  template <typename Done>
  [[nodiscard]] bool connect_until(SSL_CTX* context, Done done) {
    const auto give_up = steady_clock::now() + std::chrono::seconds(10);
    while (steady_clock::now() < give_up) {
      const auto reply = hello(context);
      if (done(reply)) return true;
    }
    return false;
  }

  Identity ca_{"server ca"};
  Identity identity_{"berth", &ca_};
  Identity client_ca_{"client ca"};
  Identity scheduler_{"kube-scheduler", &client_ca_};
  TemporaryFolder folder_;
  std::mutex events_mutex_;
  std::vector<std::string> events_;
};

TEST_F(TlsTest, ServesRequestsOnOneConnection) {
  start(tls_options());
  const SslContext context = client_context(ca_);
  Client client = connect();
  ASSERT_TRUE(client.start_tls(context.get()));
  const std::string body(500'000, 'x');
  for (int i = 0; i < 20; ++i) {
    const auto reply = client.ask(post("/echo", body));
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->body, body);
  }
  client.send(get("/hello") + get("/hello"));
  EXPECT_TRUE(client.receive());
  EXPECT_TRUE(client.receive());
}

TEST_F(TlsTest, ServesIdleConnectionsWhenTheyWakeUp) {
  start(tls_options());
  const SslContext context = client_context(ca_);
  std::vector<Client> clients;
  for (int i = 0; i < 40; ++i) {
    clients.push_back(connect());
    ASSERT_TRUE(clients.back().start_tls(context.get()));
    ASSERT_TRUE(clients.back().ask(get("/hello")));
  }
  for (Client& client : clients) ASSERT_TRUE(client.ask(get("/hello")));
}

TEST_F(TlsTest, SpeaksTls12AndTls13AndNothingOlder) {
  start(tls_options());
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const SslContext context = client_context(ca_);
    SSL_CTX_set_min_proto_version(context.get(), version);
    SSL_CTX_set_max_proto_version(context.get(), version);
    EXPECT_TRUE(hello(context.get())) << version;
  }
  const SslContext old = client_context(ca_);
  SSL_CTX_set_security_level(old.get(), 0);
  SSL_CTX_set_min_proto_version(old.get(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(old.get(), TLS1_1_VERSION);
  EXPECT_FALSE(hello(old.get()));
}

TEST_F(TlsTest, ChoosesHttp11AmongWhatGoOffers) {
  start(tls_options());
  const SslContext context = client_context(ca_);
  const std::string offered = "\x02h2\x08http/1.1";
  SSL_CTX_set_alpn_protos(context.get(), reinterpret_cast<const unsigned char*>(offered.data()),
                          static_cast<unsigned>(offered.size()));
  Client client = connect();
  ASSERT_TRUE(client.start_tls(context.get()));
  const unsigned char* chosen = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(client.tls(), &chosen, &length);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(chosen), length), "http/1.1");
}

TEST_F(TlsTest, LetsInOnlyClientsWithACertificateOfTheClientCa) {
  start(tls_options(true));
  const SslContext good = client_context(ca_, &scheduler_);
  const auto reply = hello(good.get());
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);

  const SslContext none = client_context(ca_);
  EXPECT_FALSE(hello(none.get())) << "no certificate";
  const Identity other_ca("client ca");  // same name, another key
  const Identity stranger("kube-scheduler", &other_ca);
  const SslContext wrong = client_context(ca_, &stranger);
  EXPECT_FALSE(hello(wrong.get())) << "a certificate of another CA";
  const SslContext self_made = client_context(ca_, &other_ca);
  EXPECT_FALSE(hello(self_made.get())) << "a certificate of its own";
}

TEST_F(TlsTest, AnswersNothingToPlainRequests) {
  ServerOptions options = tls_options();
  options.read_timeout = std::chrono::milliseconds(500);
  start(std::move(options));
  Client client = connect();
  client.send(get("/hello"));
  const auto rest = client.receive_rest();
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->find("hello"), std::string::npos);
  const SslContext context = client_context(ca_);
  EXPECT_TRUE(hello(context.get()));
}

TEST_F(TlsTest, TellsWhyAHandshakeFailed) {
  ServerOptions options = listening_to_refusals();
  options.tls = std::move(tls_options(true).tls);
  options.read_timeout = std::chrono::milliseconds(200);
  start(std::move(options));
  const SslContext none = client_context(ca_);
  EXPECT_FALSE(hello(none.get()));
  (void)wait_for_refusals(1);  // a client knows before the server tells
  const Identity other_ca("client ca");
  const Identity stranger("kube-scheduler", &other_ca);
  const SslContext wrong = client_context(ca_, &stranger);
  EXPECT_FALSE(hello(wrong.get()));
  (void)wait_for_refusals(2);
  Client plain = connect();
  plain.send(get("/hello"));
  EXPECT_TRUE(plain.closed_by_peer());
  (void)wait_for_refusals(3);
  Client slow = connect();
  slow.send("\x16\x03\x01\x02");
  EXPECT_TRUE(slow.closed_by_peer());
  for (int i = 0; i < 20; ++i) (void)connect();  // a probe that only connects is no failure
  const SslContext good = client_context(ca_, &scheduler_);
  EXPECT_TRUE(hello(good.get()));
  const auto told = wait_for_refusals(4);
  ASSERT_EQ(told.size(), 4U);
  EXPECT_EQ(told[0], "tls_handshake: peer did not return a certificate");
  EXPECT_EQ(told[1].rfind("tls_handshake: ", 0), 0U);
  EXPECT_NE(told[1].find("certificate"), std::string::npos) << told[1];
  EXPECT_EQ(told[2], "tls_handshake: http request");
  EXPECT_EQ(told[3], "tls_handshake: not done in time");
}

TEST_F(TlsTest, GivesUpHandshakesThatStop) {
  ServerOptions options = tls_options();
  options.read_timeout = std::chrono::milliseconds(100);
  start(std::move(options));
  Client client = connect();
  client.send("\x16\x03\x01\x02");
  EXPECT_TRUE(client.closed_by_peer());
}

TEST_F(TlsTest, ServesNewConnectionsWithARenewedCertificate) {
  start(tls_options());
  const SslContext old_trust = client_context(ca_);
  Client before = connect();
  ASSERT_TRUE(before.start_tls(old_trust.get()));
  ASSERT_TRUE(before.ask(get("/hello")));

  const Identity new_ca("new ca");
  const Identity renewed("berth", &new_ca);
  folder_.write("tls.key", renewed.key_pem());
  folder_.write("tls.crt", renewed.certificate_pem());
  const SslContext new_trust = client_context(new_ca);
  EXPECT_TRUE(connect_until(new_trust.get(), [](const auto& reply) { return bool(reply); }));
  EXPECT_TRUE(before.ask(get("/hello"))) << "connections made before go on";
  ASSERT_FALSE(events().empty());
  EXPECT_NE(events().back().find("are in use: certificate " + folder_.path("tls.crt")),
            std::string::npos)
      << events().back();
}

TEST_F(TlsTest, KeepsTheOldCertificateWhenTheNewOneIsBroken) {
  start(tls_options());
  const SslContext trust = client_context(ca_);
  folder_.write("tls.crt", "not a certificate");
  EXPECT_TRUE(connect_until(trust.get(), [this](const auto& reply) {
    EXPECT_TRUE(reply) << "must be served all the while";
    return !events().empty();
  }));
  ASSERT_EQ(events().size(), 1U);
  EXPECT_NE(events()[0].find("the old ones stay in use: certificate " + folder_.path("tls.crt")),
            std::string::npos)
      << events()[0];

  const Identity renewed("berth", &ca_);
  folder_.write("tls.key", renewed.key_pem());
  folder_.write("tls.crt", renewed.certificate_pem());
  EXPECT_TRUE(connect_until(trust.get(), [this](const auto& reply) {
    EXPECT_TRUE(reply);
    return events().back().find("are in use") != std::string::npos;
  }));
}

TEST_F(TlsTest, TurnsToANewClientCa) {
  start(tls_options(true));
  const Identity new_ca("new client ca");
  const Identity new_scheduler("kube-scheduler", &new_ca);
  const SslContext context = client_context(ca_, &new_scheduler);
  EXPECT_FALSE(hello(context.get()));
  folder_.write("ca.crt", new_ca.certificate_pem());
  EXPECT_TRUE(connect_until(context.get(), [](const auto& reply) { return bool(reply); }));
  const SslContext old = client_context(ca_, &scheduler_);
  EXPECT_FALSE(hello(old.get()));
}

TEST_F(TlsTest, ChangesCertificatesUnderLoad) {
  start(tls_options());
  const SslContext trust = client_context(ca_);
  std::atomic<bool> done{false};
  std::atomic<int> failed{0};
  std::vector<std::thread> clients;
  clients.reserve(4);
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      while (!done) {
        if (!hello(trust.get())) ++failed;
      }
    });
  }
  const Identity renewed("berth", &ca_);
  folder_.write("tls.key", renewed.key_pem());
  folder_.write("tls.crt", renewed.certificate_pem());
  EXPECT_TRUE(connect_until(trust.get(), [this](const auto&) {
    const auto told = events();
    return !told.empty() && told.back().find("are in use") != std::string::npos;
  }));
  done = true;
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(failed, 0);
}

struct BadFileCase {
  const char* name;
  const char* file;  ///< that is replaced
  const char* text;  ///< by this; null: it is missing
  const char* says;
};
class BadTlsFiles : public TlsTest, public ::testing::WithParamInterface<BadFileCase> {};

TEST_P(BadTlsFiles, AreRefusedAtStartByName) {
  ServerOptions options = tls_options(true);
  if (GetParam().text == nullptr) {
    std::filesystem::remove(folder_.path(GetParam().file));
  } else {
    folder_.write(GetParam().file, GetParam().text);
  }
  const auto started = start_server(std::move(options), routes());
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kInvalidArgument);
  const std::string& message = started.error().message;
  EXPECT_NE(message.find(folder_.path(GetParam().file)), std::string::npos) << message;
  EXPECT_NE(message.find(GetParam().says), std::string::npos) << message;
}
INSTANTIATE_TEST_SUITE_P(
    Of, BadTlsFiles,
    ::testing::Values(BadFileCase{"MissingCertificate", "tls.crt", nullptr, "No such file"},
                      BadFileCase{"MissingKey", "tls.key", nullptr, "No such file"},
                      BadFileCase{"MissingCa", "ca.crt", nullptr, "No such file"},
                      BadFileCase{"EmptyCertificate", "tls.crt", "", "empty"},
                      BadFileCase{"GarbageCertificate", "tls.crt", "garbage",
                                  "not a PEM certificate"},
                      BadFileCase{"GarbageKey", "tls.key", "garbage",
                                  "not a PEM private key without a pass phrase"},
                      BadFileCase{"GarbageCa", "ca.crt", "garbage", "not a PEM certificate"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(TlsTest, RefusesAKeyOfAnotherCertificateByName) {
  ServerOptions options = tls_options();
  folder_.write("tls.key", Identity("other").key_pem());
  const auto started = start_server(std::move(options), routes());
  ASSERT_FALSE(started);
  EXPECT_NE(
      started.error().message.find("key " + folder_.path("tls.key") +
                                   ": does not belong to certificate " + folder_.path("tls.crt")),
      std::string::npos)
      << started.error().message;
}

TEST_F(TlsTest, StopEndsIdleTlsConnectionsCleanly) {
  start(tls_options());
  const SslContext context = client_context(ca_);
  Client client = connect();
  ASSERT_TRUE(client.start_tls(context.get()));
  ASSERT_TRUE(client.ask(get("/hello")));
  server_->stop();
  EXPECT_TRUE(client.closed_by_peer());
  EXPECT_EQ(SSL_get_shutdown(client.tls()) & SSL_RECEIVED_SHUTDOWN, SSL_RECEIVED_SHUTDOWN);
}

}  // namespace
}  // namespace berth::http::test
