#include "connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace berth::http {
namespace {

constexpr std::size_t kKeptInputBytes = 4096;
constexpr std::chrono::milliseconds kGoodbyeTime{1000};
constexpr std::size_t kGoodbyeBytes = std::size_t{8} << 20;

int milliseconds_until(Instant deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000'000));
}

}  // namespace

void ConnectionRegistry::add(Connection* connection) {
  const MutexLock lock(mutex_);
  connections_.insert(connection);
  size_.store(connections_.size());
}

void ConnectionRegistry::remove(Connection* connection) {
  const MutexLock lock(mutex_);
  connections_.erase(connection);
  size_.store(connections_.size());
}

void ConnectionRegistry::interrupt_receivers() {
  const MutexLock lock(mutex_);
  for (Connection* connection : connections_) connection->interrupt_if_receiving();
}

void ConnectionRegistry::make_room(std::size_t count, Instant before) {
  using Aged = std::pair<Instant::rep, Connection*>;
  const MutexLock lock(mutex_);
  std::vector<Aged> oldest;
  for (Connection* connection : connections_) {
    if (connection->made_room_.load() && count > 0) --count;  // its thread is about to be free
    const Instant::rep since = connection->half_sent_.load();
    if (since == Connection::kNotHalfSent || since > before.time_since_epoch().count()) continue;
    oldest.emplace_back(since, connection);
  }
  const auto end = oldest.begin() + static_cast<std::ptrdiff_t>(std::min(count, oldest.size()));
  std::partial_sort(oldest.begin(), end, oldest.end());
  for (auto one = oldest.begin(); one != end; ++one) {
    Connection& connection = *one->second;
    // Whoever takes the mark away decides: its thread may just have got all it waited for.
    Instant::rep since = one->first;
    if (!connection.half_sent_.compare_exchange_strong(since, Connection::kNotHalfSent)) continue;
    connection.made_room_.store(true);
    ::shutdown(connection.socket_.get(), SHUT_RD);
  }
}

Connection::Connection(FileDescriptor socket, ConnectionRegistry& registry)
    : socket_(std::move(socket)), registry_(registry) {
  // Without it a small reply in two pieces waits 40 ms for the client's delayed acknowledgement.
  const int on = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  registry_.add(this);
}

Connection::~Connection() {
  say_goodbye();
  registry_.remove(this);
}

Io Connection::start_tls(SSL_CTX& context, Instant deadline) {
  // SSL_new takes a reference: the context may be replaced meanwhile.
  tls_.reset(SSL_new(&context));
  if (tls_ == nullptr || SSL_set_fd(tls_.get(), socket_.get()) != 1) return Io::kClosed;
  for (;;) {
    ERR_clear_error();
    const int result = SSL_accept(tls_.get());
    if (result == 1) {
      tls_usable_ = true;
      return Io::kOk;
    }
    const Io waited = wait_for_tls(result, deadline);
    if (waited == Io::kOk) continue;
    note_tls_failure(waited);
    return waited;
  }
}

void Connection::note_tls_failure(Io io) {
  const char* const text = ERR_reason_error_string(ERR_peek_error());
  ERR_clear_error();
  if (BIO_number_read(SSL_get_rbio(tls_.get())) == 0) return;  // a probe that only connects
  const long trust = SSL_get_verify_result(tls_.get());
  tls_failure_ = trust != X509_V_OK   ? X509_verify_cert_error_string(trust)
                 : text != nullptr    ? text
                 : io == Io::kTimeout ? "not done in time"
                                      : "the client hung up";
}

Io Connection::wait(short events, Instant deadline) const {
  for (;;) {
    pollfd waiting{socket_.get(), events, 0};
    const int ready = ::poll(&waiting, 1, milliseconds_until(deadline));
    if (ready > 0) return Io::kOk;
    if (ready == 0) return Io::kTimeout;
    if (errno != EINTR) return Io::kClosed;
  }
}

Io Connection::wait_for_tls(int result, Instant deadline) const {
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return wait(POLLIN, deadline);
    case SSL_ERROR_WANT_WRITE:
      return wait(POLLOUT, deadline);
    default:
      return Io::kClosed;
  }
}

Io Connection::read(std::span<char> into, std::size_t& received, Instant deadline) {
  for (;;) {
    if (tls_ != nullptr) {
      ERR_clear_error();
      const int result = SSL_read_ex(tls_.get(), into.data(), into.size(), &received);
      if (result == 1) return Io::kOk;
      const Io waited = wait_for_tls(result, deadline);
      if (waited == Io::kClosed) tls_usable_ = false;
      if (waited != Io::kOk) return waited;
      continue;
    }
    const ssize_t result = ::recv(socket_.get(), into.data(), into.size(), 0);
    if (result > 0) {
      received = static_cast<std::size_t>(result);
      return Io::kOk;
    }
    if (result == 0) return Io::kClosed;
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return Io::kClosed;
    const Io waited = wait(POLLIN, deadline);
    if (waited != Io::kOk) return waited;
  }
}

Io Connection::write_some(std::string_view bytes, bool more_follows, std::size_t& written,
                          Instant deadline) {
  for (;;) {
    if (tls_ != nullptr) {
      ERR_clear_error();
      const int result = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &written);
      if (result == 1) return Io::kOk;
      const Io waited = wait_for_tls(result, deadline);
      if (waited == Io::kClosed) tls_usable_ = false;
      if (waited != Io::kOk) return waited;
      continue;
    }
    const ssize_t result = ::send(socket_.get(), bytes.data(), bytes.size(),
                                  MSG_NOSIGNAL | (more_follows ? MSG_MORE : 0));
    if (result >= 0) {
      written = static_cast<std::size_t>(result);
      return Io::kOk;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return Io::kClosed;
    const Io waited = wait(POLLOUT, deadline);
    if (waited != Io::kOk) return waited;
  }
}

Io Connection::write(std::string_view bytes, std::chrono::milliseconds patience, Instant deadline,
                     bool more_follows) {
  while (!bytes.empty()) {
    std::size_t written = 0;
    const Instant until = std::min(deadline, now() + patience);
    const Io result = write_some(bytes, more_follows, written, until);
    if (result != Io::kOk) return result;
    bytes.remove_prefix(written);
    if (!bytes.empty() && now() >= deadline) return Io::kTimeout;
  }
  return Io::kOk;
}

void Connection::consume(std::size_t bytes) {
  used_ += bytes;
  if (used_ < input_.size()) return;
  input_.clear();
  used_ = 0;
  if (input_.capacity() > kKeptInputBytes) input_.shrink_to_fit();
}

Io Connection::fill(std::span<char> scratch, Instant deadline) {
  std::size_t received = 0;
  const Io result = read(scratch, received, deadline);
  if (result != Io::kOk) return result;
  if (used_ > 0) input_.erase(0, std::exchange(used_, 0));
  input_.append(scratch.data(), received);
  return Io::kOk;
}

bool Connection::has_pending() const {
  return !buffered().empty() || (tls_ != nullptr && SSL_has_pending(tls_.get()) == 1);
}

bool Connection::wait_for_input(std::chrono::milliseconds patience) const {
  return wait(POLLIN, now() + patience) == Io::kOk;
}

void Connection::interrupt_if_receiving() {
  if (receiving_.load()) ::shutdown(socket_.get(), SHUT_RD);
}

void Connection::say_goodbye() {
  if (!tls_usable_) return;
  ERR_clear_error();
  SSL_shutdown(tls_.get());  // one close_notify, not waiting for the other
  tls_usable_ = false;
}

void Connection::close_gently(std::span<char> scratch) {
  const Instant deadline = now() + kGoodbyeTime;
  say_goodbye();
  ::shutdown(socket_.get(), SHUT_WR);
  // Closing with unread bytes would send a reset, which can overtake the reply.
  std::size_t swallowed = 0;
  while (swallowed < kGoodbyeBytes && now() < deadline) {
    const ssize_t result = ::recv(socket_.get(), scratch.data(), scratch.size(), 0);
    if (result > 0) {
      swallowed += static_cast<std::size_t>(result);
      continue;
    }
    const bool would_block = result < 0 && (errno == EAGAIN || errno == EINTR);
    if (!would_block || wait(POLLIN, deadline) != Io::kOk) return;
  }
}

}  // namespace berth::http
