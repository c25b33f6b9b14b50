/// An HTTP listener: sockets, limits and TLS, nothing of what is said over it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/padded_buffer.h"
#include "berth/base/result.h"

namespace berth::http {

struct Request {
  std::string path;
  PaddedBuffer body;
};
struct Response {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
};

/// Answers one request; called from many threads at once. What it throws becomes a bare 500.
using Handler = std::function<Response(const Request&)>;
struct Route {
  std::string method;  ///< "GET" (HEAD comes with it) or "POST"
  std::string path;    ///< exact
  Handler handler;
};

struct TlsOptions {
  std::string certificate_file;
  std::string key_file;
  std::string client_ca_file;  ///< not empty: clients must show a certificate signed by it
};

struct ServerOptions {
  std::string name;  ///< of the listener, in messages
  std::string address = "127.0.0.1";
  int port = 0;  ///< 0: a free one
  std::unique_ptr<TlsOptions> tls;  ///< null: plain

  std::size_t max_body_bytes = std::size_t{512} << 20;
  std::size_t max_bytes_in_flight = std::size_t{1} << 30;  ///< bodies of all requests together
  std::size_t max_connections = 512;  ///< served at once, one thread each; more wait
  std::chrono::milliseconds keep_alive{180'000};
  std::chrono::milliseconds read_timeout{5'000};   ///< between two pieces of a request
  std::chrono::milliseconds body_timeout{30'000};  ///< for the whole body
};

/// A running listener. Thread-safe.
class Server {
 public:
  virtual ~Server() = default;  ///< stops if still running
  [[nodiscard]] virtual int port() const = 0;
  /// Stops accepting, lets running requests finish, closes idle connections, joins all threads.
  virtual void stop() = 0;
};

/// Binds and serves. Error: kUnavailable (address in use or not ours), kInvalidArgument (a bad
/// certificate or key); the message names address or file.
[[nodiscard]] Result<std::unique_ptr<Server>> start_server(ServerOptions options,
                                                           std::vector<Route> routes);

}  // namespace berth::http
