#include "berth/app/endpoint.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "berth/codec/extender_reply.h"

namespace berth::app {
namespace {

using Ipv4 = std::array<unsigned char, 4>;
using Ipv6 = std::array<unsigned char, 16>;

bool parse_ipv4(const std::string& text, Ipv4& bytes) {
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1;
}

bool parse_ipv6(const std::string& text, Ipv6& bytes) {
  return inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

Error refuse(std::string_view text, std::string_view why) {
  std::string message = codec::quote_json(text.substr(0, 100));
  message += ' ';
  message += why;
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text) {
  constexpr std::string_view kForm = "is not ADDR:PORT, such as 127.0.0.1:8888 or [::1]:8888";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refuse(text, kForm);

  const std::string_view port_text = text.substr(colon + 1);
  Endpoint endpoint;
  const char* const end = port_text.data() + port_text.size();
  const auto [stop, problem] = std::from_chars(port_text.data(), end, endpoint.port);
  if (port_text.empty() || problem != std::errc() || stop != end || endpoint.port < 0 ||
      endpoint.port > 65535 || port_text.front() == '-') {
    return refuse(text, "has no port between 0 and 65535");
  }

  std::string_view address = text.substr(0, colon);
  if (address.empty()) {
    return refuse(text, "has no address; every address of this machine is 0.0.0.0");
  }
  const bool bracketed = address.size() > 2 && address.front() == '[' && address.back() == ']';
  if (bracketed) address = address.substr(1, address.size() - 2);
  endpoint.address = address == "localhost" ? "127.0.0.1" : std::string(address);
  Ipv4 ipv4{};
  Ipv6 ipv6{};
  if (endpoint.address.find('\0') != std::string::npos ||
      !(bracketed ? parse_ipv6(endpoint.address, ipv6) : parse_ipv4(endpoint.address, ipv4))) {
    return refuse(text, kForm);
  }
  return endpoint;
}

bool is_loopback(const Endpoint& endpoint) {
  Ipv4 ipv4{};
  if (parse_ipv4(endpoint.address, ipv4)) return ipv4[0] == 127;
  Ipv6 ipv6{};
  if (!parse_ipv6(endpoint.address, ipv6)) return false;
  constexpr Ipv6 kLoopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  constexpr std::array<unsigned char, 13> kMappedLoopback = {0, 0, 0, 0,    0,    0,  0,
                                                             0, 0, 0, 0xFF, 0xFF, 127};
  return ipv6 == kLoopback ||
         std::equal(kMappedLoopback.begin(), kMappedLoopback.end(), ipv6.begin());
}

std::string to_string(const Endpoint& endpoint) {
  const bool ipv6 = endpoint.address.find(':') != std::string::npos;
  std::string text = ipv6 ? "[" + endpoint.address + "]" : endpoint.address;
  text += ':';
  text += std::to_string(endpoint.port);
  return text;
}

}  // namespace berth::app
