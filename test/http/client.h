/// A small HTTP client over real sockets that sends exactly the bytes it is given.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace berth::http::test {

struct Reply {
  int status = 0;
  std::string head;                            ///< as received
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;

  [[nodiscard]] std::string header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? std::string() : found->second;
  }
};

struct FreeSslContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using SslContext = std::unique_ptr<SSL_CTX, FreeSslContext>;

/// Every wait ends after 10 seconds at the latest. Failures show as empty results.
class Client {
 public:
  explicit Client(int port, const std::string& address = "127.0.0.1");
  ~Client();
  Client(Client&& other) noexcept;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] bool connected() const { return socket_ >= 0; }
  /// The client's side of a TLS handshake; false if the server (or the client) refuses it.
  [[nodiscard]] bool start_tls(SSL_CTX* context);
  [[nodiscard]] SSL* tls() const { return tls_; }

  /// False if the peer is gone before everything was sent.
  bool send(std::string_view bytes);
  /// The next reply; its body by Content-Length, none after HEAD or 1xx.
  [[nodiscard]] std::optional<Reply> receive(bool after_head = false);
  /// Everything up to the end that the peer makes; nullopt: it made none in time.
  [[nodiscard]] std::optional<std::string> receive_rest();
  [[nodiscard]] bool closed_by_peer() { return receive_rest().has_value(); }
  [[nodiscard]] std::optional<Reply> ask(std::string_view request, bool after_head = false) {
    send(request);
    return receive(after_head);
  }
  /// True if the peer sends or ends within `patience`.
  [[nodiscard]] bool readable_within(std::chrono::milliseconds patience) const;
  [[nodiscard]] int socket() const { return socket_; }

 private:
  enum class Got { kBytes, kEnd, kTimeout };
  [[nodiscard]] Got receive_more();
  [[nodiscard]] bool wait(short events) const;

  int socket_ = -1;
  SSL* tls_ = nullptr;
  std::string input_;
  std::chrono::steady_clock::time_point deadline_;
};

[[nodiscard]] std::string get(const std::string& path, const std::string& more_headers = {});
[[nodiscard]] std::string post(const std::string& path, const std::string& body,
                               const std::string& more_headers = {});
/// A POST of `body` in chunks of `chunk_size`.
[[nodiscard]] std::string chunked_post(const std::string& path, const std::string& body,
                                       std::size_t chunk_size);

}  // namespace berth::http::test
