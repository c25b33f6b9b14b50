/// An HTTP/1.1 listener: sockets, limits and TLS, nothing of what is said over it.
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
  std::string path;   ///< percent-decoded, without the query
  std::string query;  ///< behind the '?', as sent; empty without one
  PaddedBuffer body;  ///< whole and never compressed; gone when the handler returns
};
struct Response {
  int status = 200;  ///< outside 200..599: a bare 500
  std::string body;
  std::string content_type = "application/json";  ///< sent only with a body
};

/// Answers one request; called from many threads at once, each with a stack of 512 KiB. What it
/// throws becomes a bare 500 that says nothing of the exception.
using Handler = std::function<Response(const Request&)>;
struct Route {
  std::string method;  ///< "GET" (HEAD comes with it) or "POST"
  std::string path;    ///< exact: no patterns, no redirects, "/a" and "/a/" differ
  Handler handler;
};

/// PEM files. They are looked at again on new connections, at most once a second; changed files
/// serve the connections that come after, and a broken new file leaves the old ones in use.
/// TLS 1.2 and newer.
struct TlsOptions {
  std::string certificate_file;  ///< of the server, followed by its chain
  std::string key_file;          ///< without a pass phrase
  std::string client_ca_file;    ///< not empty: clients must show a certificate signed by it
};

/// Bounds of one listener. What they refuse: 400 for broken framing, 408 for a request that does
/// not arrive in time, 413, 414, 415 (compressed or multipart bodies), 417, 431 (more than 64 KiB
/// or 100 header fields), 501 (unknown methods), 503 with Retry-After; all of these close the
/// connection.
struct ServerOptions {
  std::string name;                   ///< of the listener, in messages
  std::string address = "127.0.0.1";  ///< "localhost", an IPv4 or an IPv6 address; "::" is both
  int port = 0;                       ///< 0: a free one
  std::unique_ptr<TlsOptions> tls;    ///< null: plain
  /// Told in words what an operator wants to know (certificates renewed or found broken). From any
  /// thread; may be empty.
  std::function<void(std::string)> on_event;

  std::size_t max_body_bytes = std::size_t{512} << 20;
  /// Bytes received of all bodies that are not answered yet. Beyond it 503.
  std::size_t max_bytes_in_flight = std::size_t{1} << 30;
  /// Open at once, idle ones included, which cost no thread. When full, the connection idle for
  /// longest makes room (first those that never sent a request); if none is idle, new ones wait
  /// in the kernel's queue.
  std::size_t max_connections = 1024;
  /// Requests received or answered at once, a thread each; more wait. 512 half-sent requests leave
  /// 64 threads for good ones. Threads are started on demand and end after 5 s without work.
  std::size_t max_threads = 576;
  /// How long an idle connection is kept and announced to be kept. Go's clients give up after 90 s:
  /// closing before them can meet a request on its way, which kube-scheduler does not repeat.
  std::chrono::milliseconds keep_alive{180'000};
  /// For a TLS handshake, for the head of a request, between two pieces of a body, and for the
  /// client to take the next piece of a reply.
  std::chrono::milliseconds read_timeout{5'000};
  std::chrono::milliseconds body_timeout{30'000};  ///< for a whole body, and for a whole reply
};

/// A running listener. Thread-safe.
class Server {
 public:
  virtual ~Server() = default;  ///< stops if still running
  [[nodiscard]] virtual int port() const = 0;
  /// Stops accepting and closes idle connections at once, lets running requests finish (their
  /// replies close the connection), gives up requests that are still being received after a second,
  /// joins all threads. Waits for handlers as long as they take. Not from within a handler.
  virtual void stop() = 0;
};

/// Binds and serves. Error: kUnavailable (address in use or not ours), kInvalidArgument (a bad
/// address, certificate or key, an unreadable file); the message names address or file.
/// Process-wide from then on: SIGPIPE is ignored, and the allocator gives large blocks back.
[[nodiscard]] Result<std::unique_ptr<Server>> start_server(ServerOptions options,
                                                           std::vector<Route> routes);

}  // namespace berth::http
