#include "test/harness/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>

#include "test/harness/program.h"

namespace berth::harness {
namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int status_of(std::string_view head) {
  return number<int>(head.substr(std::min(head.size(), head.find(' ') + 1), 3)).value_or(0);
}

/// Waits until the socket is ready for `events`; false at the deadline.
bool wait_for(int socket, short events, std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  pollfd waiting{socket, events, 0};
  return left.count() > 0 && poll(&waiting, 1, static_cast<int>(left.count())) > 0;
}

}  // namespace

std::string HttpReply::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (equal_ignoring_case(key, name)) return value;
  }
  return "";
}

std::optional<HttpReply> take_reply(std::string& received, bool head_only) {
  const std::size_t head_end = received.find("\r\n\r\n");
  if (head_end == received.npos) return std::nullopt;
  HttpReply reply;
  std::string_view head = std::string_view(received).substr(0, head_end);
  reply.status = status_of(head);
  for (std::size_t line = head.find("\r\n"); line != head.npos;) {
    const std::size_t next = head.find("\r\n", line + 2);
    const std::string_view text = head.substr(line + 2, next - line - 2);
    const std::size_t colon = text.find(": ");
    if (colon != text.npos)
      reply.headers.emplace_back(text.substr(0, colon), text.substr(colon + 2));
    line = next;
  }
  const auto length = number<std::size_t>(reply.header("Content-Length"));
  if (!length) return std::nullopt;
  const std::size_t body = head_end + 4;
  const std::size_t end = body + (head_only ? 0 : *length);
  if (received.size() < end) return std::nullopt;
  reply.body = received.substr(body, end - body);
  received.erase(0, end);
  return reply;
}

std::string curl_request(std::string_view method, std::string_view path, std::string_view body) {
  std::string request;
  request.append(method).append(" ").append(path).append(
      " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n");
  if (method == "POST") {
    request += "Content-Type: application/json\r\n";
    request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return request.append("\r\n").append(body);
}

std::string scheduler_request(std::string_view path, std::string_view body) {
  std::string request = "POST ";
  request.append(path).append(
      " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: ");
  request += std::to_string(body.size());
  request += "\r\nContent-Type: application/json\r\nAccept-Encoding: gzip\r\n\r\n";
  return request.append(body);
}

Connection::Connection(int port) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  // The sockets interface takes every kind of address through a pointer to this one.
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (socket_ >= 0 && connect(socket_, generic, sizeof address) != 0) {
    close(std::exchange(socket_, -1));
  }
}

Connection::~Connection() {
  if (socket_ >= 0) close(socket_);
}

Connection::Connection(Connection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), received_(std::move(other.received_)) {}

bool Connection::send(std::string_view bytes) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!bytes.empty()) {
    if (!connected() || !wait_for(socket_, POLLOUT, deadline)) return false;
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Connection::receive_more(std::chrono::steady_clock::time_point deadline) {
  std::array<char, 65536> piece{};
  if (!connected() || !wait_for(socket_, POLLIN, deadline)) return false;
  const auto count = recv(socket_, piece.data(), piece.size(), 0);
  if (count <= 0) return false;
  received_.append(piece.data(), static_cast<std::size_t>(count));
  return true;
}

std::optional<HttpReply> Connection::receive(bool head_only) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  do {
    if (auto reply = take_reply(received_, head_only)) return reply;
  } while (receive_more(deadline));
  return std::nullopt;
}

int Connection::receive_interim() {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  do {
    const std::size_t end = received_.find("\r\n\r\n");
    if (end == received_.npos) continue;
    const int status = status_of(received_);
    received_.erase(0, end + 4);
    return status;
  } while (receive_more(deadline));
  return 0;
}

std::optional<HttpReply> Connection::ask(std::string_view request, bool head_only) {
  if (!send(request)) return std::nullopt;
  return receive(head_only);
}

HttpReply post(int port, std::string_view path, std::string_view body) {
  return Connection(port).ask(curl_request("POST", path, body)).value_or(HttpReply{});
}

HttpReply get(int port, std::string_view path) {
  return Connection(port).ask(curl_request("GET", path)).value_or(HttpReply{});
}

}  // namespace berth::harness
