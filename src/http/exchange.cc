#include "exchange.h"

#include <httplib.h>

#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "body.h"
#include "head.h"

namespace berth::http {
namespace {

constexpr std::size_t kScratchBytes = std::size_t{64} << 10;
// A reply up to this size leaves with its head in one segment.
constexpr std::size_t kCoalescedBytes = std::size_t{16} << 10;
// The body of a request nobody asked for is read up to this size, to keep the connection.
constexpr std::size_t kDroppedBodyBytes = std::size_t{1} << 20;

constexpr const char* kJson = "application/json";
// Of what a client sent, in a message.
constexpr std::size_t kShownBytes = 200;

const char* reason(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 408:
      return "Request Timeout";
    case 413:
      return "Payload Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

Refusal refusal_of(int status) {
  switch (status) {
    case 404:
      return Refusal::kUnknownPath;
    case 405:
      return Refusal::kWrongMethod;
    case 408:
      return Refusal::kTooSlow;
    case 413:
      return Refusal::kBodyTooLarge;
    case 414:
    case 431:
      return Refusal::kHeadTooLarge;
    case 415:
      return Refusal::kMediaType;
    case 417:
    case 501:
    case 505:
      return Refusal::kNotSupported;
    case 503:
      return Refusal::kBytesInFlight;
    default:
      return Refusal::kBadFraming;
  }
}

/// Method and target, as they were sent.
std::string first_words(std::string_view head) {
  const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
  return std::string(line.substr(0, std::min(line.rfind(' '), kShownBytes)));
}

std::string explanation(const Site& site, Refusal refusal) {
  return site.options.explain ? site.options.explain(refusal) : std::string();
}

/// What cpp-httplib sees as a connection: it reads the head that was judged, and what it writes
/// goes out in as few segments as possible. It never touches the socket.
///
/// Newer releases ask streams for more (wait_readable, duration, ...). Those are here as well, and
/// nothing says `override`, so that one class fits all of them.
// NOLINTBEGIN(modernize-use-override)
class HeadStream final : public httplib::Stream {
 public:
  HeadStream(Connection& connection, std::string_view head, const ServerOptions& options)
      : connection_(connection), head_(head), options_(options) {}

  bool is_readable() const { return !head_.empty(); }
  bool wait_readable() const { return !head_.empty(); }
  bool is_writable() const { return !failed_; }
  bool wait_writable() const { return !failed_; }
  bool is_peer_alive() const { return !failed_; }
  time_t duration() const { return 0; }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const {}
  // Invalid: builds of the library that use select() refuse large ones.
  socket_t socket() const { return INVALID_SOCKET; }

  ssize_t read(char* into, std::size_t size) {
    const std::size_t taken = head_.copy(into, size);
    head_.remove_prefix(taken);
    return static_cast<ssize_t>(taken);
  }
  ssize_t write(const char* bytes, std::size_t size) {
    if (pending_.size() + size <= kCoalescedBytes) {
      pending_.append(bytes, size);
      return static_cast<ssize_t>(size);
    }
    send(std::exchange(pending_, {}), true);
    send({bytes, size}, false);
    return failed_ ? -1 : static_cast<ssize_t>(size);
  }

  /// Sends what is still held back. False if any of the reply did not get out.
  [[nodiscard]] bool flush() {
    send(std::exchange(pending_, {}), false);
    return !failed_;
  }

 private:
  void send(std::string_view bytes, bool more_follows) {
    if (failed_ || bytes.empty()) return;
    if (!deadline_) deadline_ = now() + options_.body_timeout;
    failed_ = connection_.write(bytes, options_.read_timeout, *deadline_, more_follows) != Io::kOk;
  }

  Connection& connection_;
  std::string_view head_;
  const ServerOptions& options_;
  std::string pending_;
  std::optional<Instant> deadline_;
  bool failed_ = false;
};
// NOLINTEND(modernize-use-override)

struct Match {
  const Route* route = nullptr;
  std::string allowed;  ///< the methods of this path; empty: unknown path
};

Match find_route(const std::vector<Route>& routes, const std::string& method,
                 const std::string& path) {
  Match match;
  for (const Route& route : routes) {
    if (route.path != path) continue;
    const bool is_get = route.method == "GET";
    if (method == route.method || (is_get && method == "HEAD")) match.route = &route;
    if (!match.allowed.empty()) match.allowed += ", ";
    match.allowed += is_get ? "GET, HEAD" : route.method;
  }
  return match;
}

/// What a handler throws ends here: cpp-httplib would put its text into a header of the reply.
Response call(const Handler& handler, const Request& request) {
  try {
    Response response = handler(request);
    if (response.status >= 200 && response.status <= 599) return response;
  } catch (const std::exception&) {
  } catch (...) {
  }
  return Response{500, {}, {}};
}

std::string query_of(const std::string& target) {
  const std::size_t mark = target.find('?');
  return mark == std::string::npos ? std::string() : target.substr(mark + 1);
}

}  // namespace

/// cpp-httplib, of which this server uses what it does well: parsing a well-formed head and
/// writing a reply. Sockets, threads, bodies and limits are ours, because the library's cannot be
/// cured from outside (it polls idle connections, holds a thread for each, unpacks and counts
/// bodies wrongly, listens with a backlog of 5).
class Exchange::Library final : private httplib::Server {
 public:
  Library(Site& site, std::span<char> scratch) : site_(site), scratch_(scratch) {
    using std::chrono::seconds;
    set_keep_alive_max_count(1'000'000'000);  // announced; nothing counts
    set_keep_alive_timeout(std::chrono::duration_cast<seconds>(site.options.keep_alive).count());
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return HandlerResponse::Handled;
    });
    // Newer releases announce "Connection: close" after errors on their own: then it is so.
    set_logger([this](const httplib::Request&, const httplib::Response& response) {
      if (response.get_header_value("Connection") == "close") closes_ = true;
    });
  }

  [[nodiscard]] After run(Connection& connection, const std::string& head, const Framing& framing) {
    connection_ = &connection;
    framing_ = &framing;
    head_ = head;
    request_ = nullptr;
    refused_ = false;
    closes_ = framing.closes || site_.stopping;
    HeadStream stream(connection, head, site_.options);
    const bool written = process(&Library::process_request, stream);
    const bool sent = stream.flush() && written;
    if (refused_) connection.close_gently(scratch_);
    // Without `request_` the library refused the head before anything of ours was asked.
    if (request_ == nullptr) report(site_, Refusal::kBadFraming, first_words(head));
    return sent && !closes_ && request_ != nullptr ? After::kKeep : After::kClose;
  }

 private:
  using Setup = std::function<void(httplib::Request&)>;

  // Up to 0.18, and what newer releases made of it: the compiler picks by the member's type.
  bool process(bool (httplib::Server::*library)(httplib::Stream&, bool, bool&, const Setup&),
               HeadStream& stream) {
    bool closed = false;
    const bool written = (this->*library)(stream, closes_, closed, setup());
    closes_ = closes_ || closed;
    return written;
  }
  bool process(bool (httplib::Server::*library)(httplib::Stream&, const std::string&, int,
                                                const std::string&, int, bool, bool&, const Setup&),
               HeadStream& stream) {
    bool closed = false;
    const bool written = (this->*library)(stream, {}, 0, {}, 0, closes_, closed, setup());
    closes_ = closes_ || closed;
    return written;
  }
  Setup setup() {
    return [this](httplib::Request& request) { request_ = &request; };
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    const Match match = find_route(site_.routes, request.method, request.path);
    if (match.route == nullptr) {
      refuse_route(match, response);
    } else {
      answer_route(*match.route, request, response);
    }
    if (site_.stopping) close_after_reply();
  }

  void answer_route(const Route& route, const httplib::Request& request,
                    httplib::Response& response) {
    Response answered;
    {
      BudgetShare share(site_.budget);
      Request asked{request.path, query_of(request.target), {}};
      if (const int failed = read_body(share, &asked.body); failed != 0) {
        refuse_body(failed, response);
        return;
      }
      connection_->set_receiving(false);
      connection_->no_longer_half_sent();
      answered = call(route.handler, asked);
    }
    response.status = answered.status;
    if (!answered.body.empty()) {
      response.set_header("Content-Type", answered.content_type);
      response.body = std::move(answered.body);
    }
  }

  void refuse_route(const Match& match, httplib::Response& response) {
    response.status = match.allowed.empty() ? 404 : 405;
    report(site_, refusal_of(response.status), first_words(head_));
    if (!match.allowed.empty()) response.set_header("Allow", match.allowed);
    if (!framing_->has_body()) return;
    BudgetShare nothing(site_.budget);
    // Dropping a small body keeps the connection; a client that waits to be told "continue" has
    // not sent it.
    const bool unread = framing_->expects_continue || read_body(nothing, nullptr) != 0;
    if (unread) refuse_rest();
  }

  void refuse_body(int failed, httplib::Response& response) {
    const bool gone = failed == BodyReader::kGone;
    const Refusal refusal = connection_->made_room() ? Refusal::kThreadsBusy
                            : gone                   ? Refusal::kClientGone
                                                     : refusal_of(failed);
    report(site_, refusal, first_words(head_));
    response.status = refusal == Refusal::kThreadsBusy ? 503 : gone ? 400 : failed;
    if (response.status == 503) response.set_header("Retry-After", "1");
    response.body = explanation(site_, refusal);
    if (!response.body.empty()) response.set_header("Content-Type", kJson);
    refuse_rest();
  }

  [[nodiscard]] int read_body(BudgetShare& share, PaddedBuffer* into) {
    const ServerOptions& options = site_.options;
    const BodyLimits limits{into != nullptr ? options.max_body_bytes : kDroppedBodyBytes,
                            options.read_timeout, options.body_timeout};
    try {
      return BodyReader(*connection_, scratch_, limits).read(*framing_, share, into);
    } catch (const std::bad_alloc&) {
      return 503;
    }
  }

  /// What is left of the body must not be taken for the next request.
  void refuse_rest() {
    refused_ = true;
    close_after_reply();
  }

  void close_after_reply() {
    closes_ = true;
    request_->headers.erase("Connection");
    request_->headers.emplace("Connection", "close");
  }

  Site& site_;
  const std::span<char> scratch_;
  Connection* connection_ = nullptr;
  const Framing* framing_ = nullptr;
  std::string_view head_;
  httplib::Request* request_ = nullptr;
  bool closes_ = false;
  bool refused_ = false;
};

Exchange::Exchange(Site& site)
    : site_(site),
      scratch_(kScratchBytes),
      library_(std::make_unique<Library>(site, std::span<char>(scratch_))) {}

Exchange::~Exchange() = default;

void report(const Site& site, Refusal refusal, std::string_view what) {
  if (site.options.on_refusal) site.options.on_refusal(refusal, what);
}

After Exchange::refuse(Connection& connection, int status, std::string_view what) {
  const Refusal refusal = connection.made_room() ? Refusal::kThreadsBusy : refusal_of(status);
  report(site_, refusal, what);
  const std::string body = explanation(site_, refusal);
  std::string reply = "HTTP/1.1 " + std::to_string(status) + " " + reason(status) +
                      "\r\nContent-Length: " + std::to_string(body.size()) +
                      "\r\nConnection: close\r\n";
  if (!body.empty()) reply += std::string("Content-Type: ") + kJson + "\r\n";
  if (status == 503) reply += "Retry-After: 1\r\n";
  reply += "\r\n" + body;
  const auto patience = site_.options.read_timeout;
  if (connection.write(reply, patience, now() + patience) == Io::kOk) {
    connection.close_gently(scratch_);
  }
  return After::kClose;
}

/// After a head that did not come to its end.
After Exchange::give_up(Connection& connection, Io why) {
  const std::string what = first_words(connection.buffered());
  if (connection.made_room()) return refuse(connection, 503, what);
  if (connection.buffered().empty()) return After::kClose;  // it never began to ask
  if (why == Io::kTimeout) return refuse(connection, 408, what);
  report(site_, Refusal::kClientGone, what);
  return After::kClose;
}

After Exchange::run(Connection& connection) {
  connection.set_receiving(true);
  const Instant begin = now();
  connection.half_sent_since(begin);
  const Instant deadline = begin + site_.options.read_timeout;
  std::size_t scanned = 0;
  std::optional<std::size_t> end;
  for (;;) {
    while (connection.buffered().substr(0, 2) == "\r\n") {  // some clients end a body with it
      connection.consume(2);
      scanned = 0;
    }
    end = find_head_end(connection.buffered(), scanned);
    if (end.value_or(connection.buffered().size()) > kMaxHeadBytes) {
      return refuse(connection, 431, first_words(connection.buffered()));
    }
    if (end) break;
    const Io filled = connection.fill(scratch_, deadline);
    if (filled == Io::kOk) continue;
    return give_up(connection, filled);
  }
  std::string head(connection.buffered().substr(0, *end));
  connection.consume(*end);

  Framing framing;
  if (const int refused = judge_head(head, framing); refused != 0) {
    return refuse(connection, refused, first_words(head));
  }
  if (framing.content_length > site_.options.max_body_bytes) {
    return refuse(connection, 413, first_words(head));
  }
  if (framing.content_length > site_.budget.left()) {
    return refuse(connection, 503, first_words(head));
  }
  const After after = library_->run(connection, head, framing);
  connection.no_longer_half_sent();
  connection.set_served();
  return after;
}

}  // namespace berth::http
