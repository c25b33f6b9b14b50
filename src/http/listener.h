/// The listening socket of a server.
#pragma once

#include <string>

#include "berth/base/result.h"
#include "file_descriptor.h"

namespace berth::http {

struct Listener {
  FileDescriptor socket;  ///< non-blocking
  int port = 0;           ///< the real one
};

/// Binds `address`:`port` and listens. SO_REUSEADDR is on, so that a restart need not wait;
/// SO_REUSEPORT is off, so that two servers never share a port unknowingly.
[[nodiscard]] Result<Listener> open_listener(const std::string& address, int port);

}  // namespace berth::http
