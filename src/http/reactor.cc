#include "reactor.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

namespace berth::http {
namespace {

// While no connection can be accepted, how often to look for room again.
constexpr int kPausedMilliseconds = 20;
// While requests wait for a thread, how often to see whether one can be freed.
constexpr int kCrowdedMilliseconds = 5;
constexpr int kAcceptsPerRound = 64;

bool has_input(int socket) {
  pollfd look{socket, POLLIN, 0};
  return ::poll(&look, 1, 0) > 0;
}

bool out_of_resources(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

Reactor::Reactor(FileDescriptor listener, ConnectionRegistry& registry, Options options,
                 Callbacks callbacks)
    : listener_(std::move(listener)),
      registry_(registry),
      options_(options),
      callbacks_(std::move(callbacks)) {}

Reactor::~Reactor() { stop(); }

bool Reactor::start() {
  epoll_ = FileDescriptor(epoll_create1(EPOLL_CLOEXEC));
  wake_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll_.valid() || !wake_.valid()) return false;
  for (const int socket : {listener_.get(), wake_.get()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = socket;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket, &event) != 0) return false;
  }
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void Reactor::stop() {
  stopping_ = true;
  if (!thread_.joinable()) return;
  wake();
  thread_.join();
}

void Reactor::wake() const { eventfd_write(wake_.get(), 1); }

void Reactor::watch(Connection& connection) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
  event.data.fd = connection.socket();
  // A parked connection was added before, a new one was not; the kernel knows which.
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.socket(), &event) != 0) {
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection.socket(), &event);
  }
}

void Reactor::park(std::unique_ptr<Connection> connection) {
  const MutexLock lock(mutex_);
  if (stopping_) return;
  ParkedList& list = list_of(*connection);
  const bool must_wake = list.empty();  // the thread may be waiting without an end
  list.push_back(Parked{std::move(connection), now() + options_.keep_alive});
  Connection& parked = *list.back().connection;
  by_socket_.emplace(parked.socket(), std::prev(list.end()));
  watch(parked);
  if (must_wake) wake();
}

int Reactor::milliseconds_to_wait() {
  const MutexLock lock(mutex_);
  int wait = crowded_ ? kCrowdedMilliseconds : paused_ ? kPausedMilliseconds : -1;
  for (const ParkedList* list : {&served_, &silent_}) {
    if (list->empty()) continue;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(list->front().until - now()).count();
    const int bounded = static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000'000));
    wait = wait < 0 ? bounded : std::min(wait, bounded);
  }
  return wait;
}

void Reactor::run() {
  std::array<epoll_event, 256> events{};
  while (!stopping_) {
    const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                 milliseconds_to_wait());
    try {
      handle({events.data(), static_cast<std::size_t>(std::max(count, 0))});
      crowded_ = callbacks_.relieve();
    } catch (const std::bad_alloc&) {
      // The connection at hand is closed; the others go on.
    }
  }
  listener_.reset();
  const MutexLock lock(mutex_);
  by_socket_.clear();
  served_.clear();
  silent_.clear();
}

void Reactor::handle(std::span<const epoll_event> events) {
  bool may_accept = paused_;
  for (const epoll_event& event : events) {
    const int socket = event.data.fd;
    if (socket == listener_.get()) {
      may_accept = true;
    } else if (socket == wake_.get()) {
      eventfd_t ignored = 0;
      eventfd_read(wake_.get(), &ignored);
    } else {
      hand_over(socket);
    }
  }
  close_expired();
  // Last: accepting may close parked connections, whose events must be done with by then.
  if (may_accept && !stopping_) accept_all();
}

void Reactor::hand_over(int socket) {
  std::unique_ptr<Connection> connection;
  {
    const MutexLock lock(mutex_);
    const auto found = by_socket_.find(socket);
    if (found == by_socket_.end()) return;
    const ParkedList::iterator parked = found->second;
    connection = std::move(parked->connection);
    by_socket_.erase(found);
    list_of(*connection).erase(parked);
  }
  callbacks_.ready(std::move(connection));
}

void Reactor::close_expired() {
  const MutexLock lock(mutex_);
  const Instant moment = now();
  for (ParkedList* list : {&served_, &silent_}) {
    while (!list->empty() && list->front().until <= moment) {
      by_socket_.erase(list->front().connection->socket());
      list->pop_front();
    }
  }
}

/// Closes the connection that is idle for longest; one whose request just arrives is spared.
bool Reactor::make_room() {
  const MutexLock lock(mutex_);
  for (ParkedList* list : {&silent_, &served_}) {
    for (auto parked = list->begin(); parked != list->end(); ++parked) {
      const int socket = parked->connection->socket();
      if (has_input(socket)) continue;
      by_socket_.erase(socket);
      list->erase(parked);
      return true;
    }
  }
  return false;
}

void Reactor::pause_accepting(bool paused) {
  if (paused_ == paused) return;
  paused_ = paused;
  epoll_event event{};
  if (!paused) event.events = EPOLLIN;
  event.data.fd = listener_.get();
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, listener_.get(), &event);
}

void Reactor::accept_all() {
  for (int accepted = 0; accepted < kAcceptsPerRound; ++accepted) {
    if (registry_.size() >= options_.max_connections) {
      if (!has_input(listener_.get())) break;  // nobody is waiting: nobody has to go
      if (!make_room()) {
        pause_accepting(true);
        return;
      }
    }
    FileDescriptor socket(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.valid()) {
      park(std::make_unique<Connection>(std::move(socket), registry_));
      continue;
    }
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (out_of_resources(errno)) {
      if (make_room()) continue;
      pause_accepting(true);
      return;
    }
    break;
  }
  pause_accepting(false);
}

}  // namespace berth::http
