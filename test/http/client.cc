#include "test/http/client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <utility>

namespace berth::http::test {
namespace {

constexpr std::chrono::seconds kPatience{10};

int connect_to(const std::string& address, int port) {
  const bool is_v6 = address.find(':') != std::string::npos;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(static_cast<std::uint16_t>(port));
  v6.sin6_family = AF_INET6;
  v6.sin6_port = v4.sin_port;
  if (is_v6) {
    inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr);
  } else {
    inet_pton(AF_INET, address.c_str(), &v4.sin_addr);
  }
  const int socket = ::socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto* target =
      is_v6 ? reinterpret_cast<const sockaddr*>(&v6) : reinterpret_cast<const sockaddr*>(&v4);
  const socklen_t length = is_v6 ? sizeof v6 : sizeof v4;
  if (socket >= 0 && ::connect(socket, target, length) == 0) {
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return socket;
  }
  ::close(socket);
  return -1;
}

void parse_head(Reply& reply) {
  std::istringstream lines(reply.head);
  std::string line;
  std::getline(lines, line);
  if (line.size() > 12) std::from_chars(line.data() + 9, line.data() + 12, reply.status);
  while (std::getline(lines, line) && line != "\r") {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    std::string name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    reply.headers[name] = line.substr(colon + 2, line.size() - colon - 3);
  }
}

}  // namespace

Client::Client(int port, const std::string& address)
    : socket_(connect_to(address, port)), deadline_(std::chrono::steady_clock::now()) {}

Client::Client(Client&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      tls_(std::exchange(other.tls_, nullptr)),
      input_(std::move(other.input_)),
      deadline_(other.deadline_) {}

Client::~Client() {
  SSL_free(tls_);
  if (socket_ >= 0) ::close(socket_);
}

bool Client::wait(short events) const {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
  pollfd waiting{socket_, events, 0};
  return left.count() > 0 && ::poll(&waiting, 1, static_cast<int>(left.count())) > 0;
}

bool Client::readable_within(std::chrono::milliseconds patience) const {
  pollfd waiting{socket_, POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(patience.count())) > 0;
}

bool Client::start_tls(SSL_CTX* context) {
  const timeval patience{kPatience.count(), 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  tls_ = SSL_new(context);
  SSL_set_fd(tls_, socket_);
  return SSL_connect(tls_) == 1;
}

bool Client::send(std::string_view bytes) {
  deadline_ = std::chrono::steady_clock::now() + kPatience;
  while (!bytes.empty()) {
    std::size_t written = 0;
    if (tls_ != nullptr) {
      if (SSL_write_ex(tls_, bytes.data(), bytes.size(), &written) != 1) return false;
    } else {
      const ssize_t result =
          ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (result < 0 && errno == EAGAIN && wait(POLLOUT)) continue;
      if (result < 0) return false;
      written = static_cast<std::size_t>(result);
    }
    bytes.remove_prefix(written);
  }
  return true;
}

Client::Got Client::receive_more() {
  std::array<char, 65536> piece{};
  if (tls_ != nullptr) {
    std::size_t received = 0;
    if (SSL_read_ex(tls_, piece.data(), piece.size(), &received) != 1) return Got::kEnd;
    input_.append(piece.data(), received);
    return Got::kBytes;
  }
  if (!wait(POLLIN)) return Got::kTimeout;
  const ssize_t result = ::recv(socket_, piece.data(), piece.size(), 0);
  if (result <= 0) return Got::kEnd;
  input_.append(piece.data(), static_cast<std::size_t>(result));
  return Got::kBytes;
}

std::optional<Reply> Client::receive(bool after_head) {
  deadline_ = std::chrono::steady_clock::now() + kPatience;
  Reply reply;
  std::size_t end = std::string::npos;
  while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
    if (receive_more() != Got::kBytes) return std::nullopt;
  }
  reply.head = input_.substr(0, end + 4);
  input_.erase(0, end + 4);
  parse_head(reply);
  if (after_head || reply.status < 200) return reply;
  const std::string announced = reply.header("content-length");
  std::size_t length = 0;
  std::from_chars(announced.data(), announced.data() + announced.size(), length);
  while (input_.size() < length) {
    if (receive_more() != Got::kBytes) return std::nullopt;
  }
  reply.body = input_.substr(0, length);
  input_.erase(0, length);
  return reply;
}

std::optional<std::string> Client::receive_rest() {
  deadline_ = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    switch (receive_more()) {
      case Got::kBytes:
        continue;
      case Got::kEnd:
        return std::exchange(input_, {});
      case Got::kTimeout:
        return std::nullopt;
    }
  }
}

std::string get(const std::string& path, const std::string& more_headers) {
  return "GET " + path + " HTTP/1.1\r\nHost: berth\r\n" + more_headers + "\r\n";
}

std::string post(const std::string& path, const std::string& body,
                 const std::string& more_headers) {
  return "POST " + path + " HTTP/1.1\r\nHost: berth\r\nContent-Type: application/json\r\n" +
         more_headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string chunked_post(const std::string& path, const std::string& body, std::size_t chunk_size) {
  std::ostringstream request;
  request << "POST " << path << " HTTP/1.1\r\nHost: berth\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (std::size_t at = 0; at < body.size(); at += chunk_size) {
    const std::string chunk = body.substr(at, chunk_size);
    request << std::hex << chunk.size() << std::dec << "\r\n" << chunk << "\r\n";
  }
  request << "0\r\n\r\n";
  return request.str();
}

}  // namespace berth::http::test
