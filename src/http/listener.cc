#include "listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

namespace berth::http {
namespace {

// Connections that the kernel completes before we accept them; capped by net.core.somaxconn.
constexpr int kBacklog = 512;

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

std::string without_brackets(const std::string& address) {
  if (address.size() > 2 && address.front() == '[' && address.back() == ']') {
    return address.substr(1, address.size() - 2);
  }
  return address;
}

std::string printed(const std::string& address, int port) {
  const std::string host = without_brackets(address);
  const bool is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string error_text(int error) { return std::generic_category().message(error); }

int bound_port(int socket) {
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &length) != 0) return 0;
  if (bound.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
}

/// A listening socket, or an invalid one with errno set.
FileDescriptor listen_on(const addrinfo& candidate) {
  FileDescriptor socket(
      ::socket(candidate.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return socket;
  const int on = 1;
  const int off = 0;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (candidate.ai_family == AF_INET6) {
    setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  if (::bind(socket.get(), candidate.ai_addr, candidate.ai_addrlen) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    const int error = errno;
    socket.reset();
    errno = error;
  }
  return socket;
}

}  // namespace

Result<Listener> open_listener(const std::string& address, int port) {
  if (address.empty() || port < 0 || port > 65535) {
    return Error{ErrorCode::kInvalidArgument,
                 "cannot listen on " + printed(address, port) + ": not an address and a port"};
  }
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed =
      getaddrinfo(without_brackets(address).c_str(), std::to_string(port).c_str(), &hints, &found);
  const AddressList list(found, &freeaddrinfo);
  if (failed != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "cannot listen on " + printed(address, port) + ": " + gai_strerror(failed)};
  }
  int error = EADDRNOTAVAIL;
  // IPv4 first: "localhost" then means 127.0.0.1 on every machine.
  for (const int family : {AF_INET, AF_INET6}) {
    for (const addrinfo* candidate = found; candidate != nullptr; candidate = candidate->ai_next) {
      if (candidate->ai_family != family) continue;
      FileDescriptor socket = listen_on(*candidate);
      if (socket.valid()) {
        const int real_port = bound_port(socket.get());
        return Listener{std::move(socket), real_port};
      }
      if (error == EADDRNOTAVAIL) error = errno;
    }
  }
  return Error{ErrorCode::kUnavailable,
               "cannot listen on " + printed(address, port) + ": " + error_text(error)};
}

}  // namespace berth::http
