/// A small HTTP/1.1 client over raw sockets: says exactly what a test wants said.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::harness {

struct HttpReply {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  ///< as sent
  std::string body;

  /// Without regard to case; "" when missing.
  [[nodiscard]] std::string header(std::string_view name) const;
};

/// Takes one whole reply with Content-Length off the front of `received`; nothing if it is not all
/// there. A reply without Content-Length never is: such a reply is a fault to us.
[[nodiscard]] std::optional<HttpReply> take_reply(std::string& received, bool head_only = false);

/// The bytes of a request with the headers that curl sends.
[[nodiscard]] std::string curl_request(std::string_view method, std::string_view path,
                                       std::string_view body = {});
/// The same with the headers of kube-scheduler.
[[nodiscard]] std::string scheduler_request(std::string_view path, std::string_view body);

/// One connection to 127.0.0.1; every wait has a deadline.
class Connection {
 public:
  explicit Connection(int port);
  ~Connection();
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&&) = delete;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] bool connected() const { return socket_ >= 0; }
  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] bool send(std::string_view bytes);
  /// Nothing: closed or too late before a whole reply came.
  [[nodiscard]] std::optional<HttpReply> receive(bool head_only = false);
  /// The status of an interim reply (100 Continue), which has no body; 0: none came.
  [[nodiscard]] int receive_interim();
  /// send() and receive().
  [[nodiscard]] std::optional<HttpReply> ask(std::string_view request, bool head_only = false);

 private:
  [[nodiscard]] bool receive_more(std::chrono::steady_clock::time_point deadline);

  int socket_ = -1;
  std::string received_;
};

/// One request on a connection of its own; status 0 when there was no whole reply.
[[nodiscard]] HttpReply post(int port, std::string_view path, std::string_view body);
[[nodiscard]] HttpReply get(int port, std::string_view path);

}  // namespace berth::harness
