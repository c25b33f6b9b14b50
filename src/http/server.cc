#include "berth/http/server.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <utility>

#include "allocator.h"
#include "berth/base/mutex.h"
#include "connection.h"
#include "exchange.h"
#include "listener.h"
#include "reactor.h"
#include "tls.h"
#include "workers.h"

namespace berth::http {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kThreadIdleTime{5'000};
// After a reply a few threads stay with their connection for a moment: the next call of a busy
// scheduler is then read without handing the connection to the reactor and back.
constexpr milliseconds kLingerTime{100};
constexpr std::size_t kMaxLingering = 16;
// A client that sends without pause is not half-sent: what it has sent is read sooner than this.
constexpr milliseconds kEarnestTime{5};
constexpr milliseconds kStopGrace{1'000};
constexpr milliseconds kStopLook{50};

/// Ready connections go from the reactor to a worker; after the reply they come back.
class SocketServer final : public Server {
 public:
  SocketServer(ServerOptions options, std::vector<Route> routes, Listener listener,
               std::unique_ptr<TlsCredentials> credentials)
      : options_(std::move(options)),
        port_(listener.port),
        credentials_(std::move(credentials)),
        site_(options_, std::move(routes)),
        max_lingering_(std::min(kMaxLingering, options_.max_threads / 4)),
        workers_(options_.max_threads, kThreadIdleTime, [this] { return make_worker(); }),
        reactor_(std::move(listener.socket), registry_,
                 {options_.max_connections, options_.keep_alive},
                 {[this](std::unique_ptr<Connection> ready) { workers_.submit(std::move(ready)); },
                  [this] { return relieve(); }}) {}
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;
  ~SocketServer() override { shut_down(); }

  [[nodiscard]] bool start() { return reactor_.start(); }
  [[nodiscard]] int port() const override { return port_; }
  void stop() override { shut_down(); }

 private:
  void shut_down() BERTH_EXCLUDES(stop_mutex_) {
    const MutexLock lock(stop_mutex_);
    site_.stopping = true;
    reactor_.stop();
    const Instant grace_ends = now() + kStopGrace;
    while (!workers_.wait_until_done(kStopLook)) {
      if (now() >= grace_ends) registry_.interrupt_receivers();
    }
    workers_.close();
  }

  /// True while requests wait for a thread.
  bool relieve() {
    const std::size_t waiting = workers_.crowd();
    if (waiting > 0) registry_.make_room(waiting, now() - kEarnestTime);
    return waiting > 0;
  }

  Workers::Worker make_worker() {
    return [this,
            exchange = std::make_shared<Exchange>(site_)](std::unique_ptr<Connection> connection) {
      try {
        serve(*exchange, std::move(connection));
      } catch (const std::exception&) {
        // Out of memory outside a handler: the connection is closed, the server lives.
      }
    };
  }

  void serve(Exchange& exchange, std::unique_ptr<Connection> connection) {
    if (!secure(*connection)) return;
    for (;;) {
      if (exchange.run(*connection) == After::kClose) return;
      if (connection->has_pending()) continue;
      if (site_.stopping) return;
      if (lingers(*connection)) continue;
      reactor_.park(std::move(connection));
      return;
    }
  }

  bool secure(Connection& connection) {
    if (credentials_ == nullptr || connection.has_tls()) return true;
    const std::shared_ptr<SSL_CTX> context = credentials_->current();
    const Instant begin = now();
    connection.half_sent_since(begin);
    if (connection.start_tls(*context, begin + options_.read_timeout) == Io::kOk) return true;
    if (connection.made_room()) {
      report(site_, Refusal::kThreadsBusy, "TLS handshake");
    } else if (!connection.tls_failure().empty()) {
      report(site_, Refusal::kTlsHandshake, connection.tls_failure());
    }
    return false;
  }

  /// True if the next request came while we stayed.
  bool lingers(Connection& connection) {
    connection.set_receiving(true);
    const bool may = lingering_.fetch_add(1) < max_lingering_;
    const bool came = may && connection.wait_for_input(kLingerTime);
    lingering_.fetch_sub(1);
    return came;
  }

  const ServerOptions options_;
  const int port_;
  const std::unique_ptr<TlsCredentials> credentials_;
  Site site_;
  const std::size_t max_lingering_;
  std::atomic<std::size_t> lingering_{0};
  ConnectionRegistry registry_;
  Workers workers_;
  Reactor reactor_;
  Mutex stop_mutex_;
};

Status check_options(const ServerOptions& options, const std::vector<Route>& routes) {
  if (options.max_threads == 0 || options.max_connections == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 options.name + ": max_threads and max_connections must be at least 1"};
  }
  for (const Route& route : routes) {
    if ((route.method == "GET" || route.method == "POST") && route.handler) continue;
    return Error{ErrorCode::kInvalidArgument, options.name + ": route " + route.method + " " +
                                                  route.path +
                                                  " needs the method GET or POST and a handler"};
  }
  return ok();
}

}  // namespace

std::string_view to_string(Refusal refusal) {
  switch (refusal) {
    case Refusal::kBadFraming:
      return "bad_framing";
    case Refusal::kUnknownPath:
      return "unknown_path";
    case Refusal::kWrongMethod:
      return "wrong_method";
    case Refusal::kTooSlow:
      return "too_slow";
    case Refusal::kBodyTooLarge:
      return "body_too_large";
    case Refusal::kHeadTooLarge:
      return "head_too_large";
    case Refusal::kMediaType:
      return "media_type";
    case Refusal::kNotSupported:
      return "not_supported";
    case Refusal::kBytesInFlight:
      return "bytes_in_flight";
    case Refusal::kThreadsBusy:
      return "threads_busy";
    case Refusal::kClientGone:
      return "client_gone";
    case Refusal::kTlsHandshake:
      return "tls_handshake";
  }
  return "unknown";
}

Result<std::unique_ptr<Server>> start_server(ServerOptions options, std::vector<Route> routes) {
  if (Status good = check_options(options, routes); !good) return good.error();
  // OpenSSL writes with write(2), which cannot be told to spare us the signal.
  std::signal(SIGPIPE, SIG_IGN);
  bound_kept_memory();
  std::unique_ptr<TlsCredentials> credentials;
  if (options.tls != nullptr) {
    auto loaded = TlsCredentials::load(*options.tls, options.on_event);
    if (!loaded) return loaded.error();
    credentials = std::move(*loaded);
  }
  Result<Listener> listener = open_listener(options.address, options.port);
  if (!listener) return listener.error();
  auto server = std::make_unique<SocketServer>(std::move(options), std::move(routes),
                                               std::move(*listener), std::move(credentials));
  if (!server->start()) {
    return Error{ErrorCode::kUnavailable,
                 "cannot watch connections: no file descriptors or threads left"};
  }
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace berth::http
