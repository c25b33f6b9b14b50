/// One thread that accepts connections and watches the idle ones, so that they cost no thread and
/// no processor time.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <thread>
#include <unordered_map>

#include "berth/base/mutex.h"
#include "connection.h"
#include "file_descriptor.h"

namespace berth::http {

/// Thread-safe.
class Reactor {
 public:
  struct Options {
    std::size_t max_connections = 0;
    std::chrono::milliseconds keep_alive{};
  };
  /// Called on the reactor's thread; must not wait.
  struct Callbacks {
    /// For a connection with something to read.
    std::function<void(std::unique_ptr<Connection>)> ready;
    /// After each round; true: once more within some milliseconds, whatever happens.
    std::function<bool()> relieve;
  };

  Reactor(FileDescriptor listener, ConnectionRegistry& registry, Options options,
          Callbacks callbacks);
  ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  /// False if the system has no descriptors or threads left for it.
  [[nodiscard]] bool start();
  /// Gives a connection back until its client says something or keep_alive has passed.
  void park(std::unique_ptr<Connection> connection) BERTH_EXCLUDES(mutex_);
  /// Closes the listener and all parked connections; later ones are closed at once.
  void stop() BERTH_EXCLUDES(mutex_);

 private:
  struct Parked {
    std::unique_ptr<Connection> connection;
    Instant until;
  };
  using ParkedList = std::list<Parked>;  // oldest first

  void run() BERTH_EXCLUDES(mutex_);
  [[nodiscard]] int milliseconds_to_wait() BERTH_EXCLUDES(mutex_);
  void handle(std::span<const epoll_event> events) BERTH_EXCLUDES(mutex_);
  void hand_over(int socket) BERTH_EXCLUDES(mutex_);
  void accept_all() BERTH_EXCLUDES(mutex_);
  [[nodiscard]] bool make_room() BERTH_EXCLUDES(mutex_);
  void close_expired() BERTH_EXCLUDES(mutex_);
  void watch(Connection& connection);
  void pause_accepting(bool paused);
  void wake() const;
  ParkedList& list_of(const Connection& connection) BERTH_REQUIRES(mutex_) {
    return connection.served() ? served_ : silent_;
  }

  FileDescriptor listener_;
  FileDescriptor epoll_;
  FileDescriptor wake_;
  ConnectionRegistry& registry_;
  const Options options_;
  const Callbacks callbacks_;
  std::thread thread_;
  std::atomic<bool> stopping_{false};
  bool paused_ = false;   // of the reactor's thread alone
  bool crowded_ = false;  // the same

  Mutex mutex_;
  ParkedList served_ BERTH_GUARDED_BY(mutex_);
  ParkedList silent_ BERTH_GUARDED_BY(mutex_);  // never sent a request: first to make room
  std::unordered_map<int, ParkedList::iterator> by_socket_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::http
