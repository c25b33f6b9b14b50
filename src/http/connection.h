/// One client: bytes in, bytes out, with deadlines, plain or through TLS.
#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "berth/base/mutex.h"
#include "file_descriptor.h"

namespace berth::http {

using Instant = std::chrono::steady_clock::time_point;
[[nodiscard]] inline Instant now() { return std::chrono::steady_clock::now(); }

class Connection;

/// All open connections of a server, for counting them and for giving them up. Thread-safe;
/// outlives its connections.
class ConnectionRegistry {
 public:
  /// Interrupts every connection that waits for bytes of its client.
  void interrupt_receivers() BERTH_EXCLUDES(mutex_);
  /// Interrupts at most `count` connections whose requests have been half sent since `before` or
  /// longer, the oldest first: see Connection::made_room(). Cost: O(connections).
  void make_room(std::size_t count, Instant before) BERTH_EXCLUDES(mutex_);
  [[nodiscard]] std::size_t size() const { return size_.load(); }

 private:
  friend class Connection;
  void add(Connection* connection) BERTH_EXCLUDES(mutex_);
  void remove(Connection* connection) BERTH_EXCLUDES(mutex_);

  Mutex mutex_;
  std::unordered_set<Connection*> connections_ BERTH_GUARDED_BY(mutex_);
  std::atomic<std::size_t> size_{0};
};

enum class Io { kOk, kClosed, kTimeout };

/// Owned by one thread at a time; only what ConnectionRegistry calls may be called by another.
class Connection {
 public:
  /// `socket` is non-blocking.
  Connection(FileDescriptor socket, ConnectionRegistry& registry);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] int socket() const { return socket_.get(); }

  /// The server's side of a TLS handshake. From then on all bytes go through it.
  [[nodiscard]] Io start_tls(SSL_CTX& context, Instant deadline);
  [[nodiscard]] bool has_tls() const { return tls_ != nullptr; }
  /// Why start_tls() failed; empty if the client said nothing at all.
  [[nodiscard]] const std::string& tls_failure() const { return tls_failure_; }

  /// Reads what is there, at least one byte when kOk; `received` says how much.
  [[nodiscard]] Io read(std::span<char> into, std::size_t& received, Instant deadline);
  /// Writes everything; kTimeout if nothing moves for `patience` or it is not done by `deadline`.
  [[nodiscard]] Io write(std::string_view bytes, std::chrono::milliseconds patience,
                         Instant deadline, bool more_follows = false);

  /// Bytes received ahead of their use.
  [[nodiscard]] std::string_view buffered() const { return std::string_view(input_).substr(used_); }
  void consume(std::size_t bytes);
  /// Reads more behind buffered(), through `scratch`.
  [[nodiscard]] Io fill(std::span<char> scratch, Instant deadline);

  /// True if a next request may be at hand without waiting for the socket.
  [[nodiscard]] bool has_pending() const;
  /// True if bytes (or the end) come within `patience`.
  [[nodiscard]] bool wait_for_input(std::chrono::milliseconds patience) const;

  /// Ends the conversation so that the client can still read our last reply although it is
  /// sending: says goodbye, then swallows what comes for a bounded time.
  void close_gently(std::span<char> scratch);

  void set_receiving(bool receiving) { receiving_.store(receiving); }
  void interrupt_if_receiving();

  /// From here on, until no_longer_half_sent(), a thread waits for what the client still owes us.
  void half_sent_since(Instant moment) { half_sent_.store(moment.time_since_epoch().count()); }
  void no_longer_half_sent() { half_sent_.store(kNotHalfSent); }
  /// It was interrupted because its thread was needed.
  [[nodiscard]] bool made_room() const { return made_room_.load(); }

  /// Whether a request was answered on it.
  [[nodiscard]] bool served() const { return served_; }
  void set_served() { served_ = true; }

 private:
  friend class ConnectionRegistry;
  static constexpr Instant::rep kNotHalfSent = 0;

  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };

  [[nodiscard]] Io wait(short events, Instant deadline) const;
  [[nodiscard]] Io wait_for_tls(int result, Instant deadline) const;
  void note_tls_failure(Io io);
  [[nodiscard]] Io write_some(std::string_view bytes, bool more_follows, std::size_t& written,
                              Instant deadline);
  void say_goodbye();

  FileDescriptor socket_;
  ConnectionRegistry& registry_;
  std::unique_ptr<SSL, FreeSsl> tls_;
  bool tls_usable_ = false;
  bool served_ = false;
  std::string tls_failure_;
  std::atomic<bool> receiving_{true};
  std::atomic<Instant::rep> half_sent_{kNotHalfSent};
  std::atomic<bool> made_room_{false};
  std::string input_;
  std::size_t used_ = 0;
};

}  // namespace berth::http
