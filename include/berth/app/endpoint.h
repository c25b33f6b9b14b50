/// ADDR:PORT as flags and configuration write it.
#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth::app {

struct Endpoint {
  std::string address = "127.0.0.1";  ///< an IP address without brackets
  int port = 0;                       ///< 0: a free one
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// 127.0.0.1:8888, [::1]:8888, localhost:8888 (which is 127.0.0.1). Other host names are refused:
/// what they mean is not ours to decide. Error: kInvalidArgument, names the text.
[[nodiscard]] Result<Endpoint> parse_endpoint(std::string_view text);

/// 127.0.0.0/8, ::1, and ::ffff:127.0.0.0/104.
[[nodiscard]] bool is_loopback(const Endpoint& endpoint);

/// With brackets around an IPv6 address.
[[nodiscard]] std::string to_string(const Endpoint& endpoint);

}  // namespace berth::app
