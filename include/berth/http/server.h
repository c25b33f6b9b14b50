/// An HTTP/1.1 listener: sockets, limits and TLS, nothing of what is said over it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
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

/// Why a request was answered without asking a handler, or a connection given up.
enum class Refusal {
  kBadFraming,     ///< 400: not HTTP, or two readers could read it differently
  kUnknownPath,    ///< 404
  kWrongMethod,    ///< 405
  kTooSlow,        ///< 408: it did not arrive in time
  kBodyTooLarge,   ///< 413: beyond max_body_bytes
  kHeadTooLarge,   ///< 414, 431: more than 64 KiB, 100 header fields or 8,000 bytes in a line
  kMediaType,      ///< 415: a compressed or multipart body
  kNotSupported,   ///< 417, 501, 505: expectations, methods and versions that there are not here
  kBytesInFlight,  ///< 503: beyond max_bytes_in_flight
  kThreadsBusy,    ///< 503: only half sent, and all threads were needed
  kClientGone,     ///< the client hung up within its request
  kTlsHandshake,   ///< no request came so far
};
inline constexpr std::array kAllRefusals = {
    Refusal::kBadFraming,    Refusal::kUnknownPath,  Refusal::kWrongMethod, Refusal::kTooSlow,
    Refusal::kBodyTooLarge,  Refusal::kHeadTooLarge, Refusal::kMediaType,   Refusal::kNotSupported,
    Refusal::kBytesInFlight, Refusal::kThreadsBusy,  Refusal::kClientGone,  Refusal::kTlsHandshake};
[[nodiscard]] std::string_view to_string(Refusal refusal);  ///< "bad_framing", "unknown_path", ...

/// Bounds of one listener. What they refuse gets the status of its Refusal, 503 with Retry-After;
/// all but 404 and 405 close the connection.
struct ServerOptions {
  std::string name;                   ///< of the listener, in messages
  std::string address = "127.0.0.1";  ///< "localhost", an IPv4 or an IPv6 address; "::" is both
  int port = 0;                       ///< 0: a free one
  std::unique_ptr<TlsOptions> tls;    ///< null: plain
  /// Told in words what an operator wants to know (certificates renewed or found broken). From any
  /// thread; may be empty.
  std::function<void(std::string)> on_event;
  /// Told of each refusal. `what` is in words, or method and target as they were sent, cut to some
  /// 200 bytes, not escaped. From any thread; fast, does not throw; may be empty.
  std::function<void(Refusal, std::string_view what)> on_refusal;
  /// The JSON body of the reply to a refusal; where it is empty there is none. May be null.
  std::function<std::string(Refusal)> explain;

  std::size_t max_body_bytes = std::size_t{512} << 20;
  /// Bytes received of all bodies that are not answered yet. Beyond it 503.
  std::size_t max_bytes_in_flight = std::size_t{1} << 30;
  /// Open at once, idle ones included, which cost no thread. When full, the connection idle for
  /// longest makes room (first those that never sent a request); if none is idle, new ones wait
  /// in the kernel's queue.
  std::size_t max_connections = 1024;
  /// Requests received or answered at once, a thread each. When all are taken, the requests that
  /// have been half sent for longest make room, as many as wait; those that are being answered
  /// never do. Threads are started on demand and end after 5 s without work.
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
