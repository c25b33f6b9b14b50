/// Whom we trust as the API server, and what we show it.
#pragma once

#include <openssl/ssl.h>

#include <string>

#include "berth/base/result.h"
#include "berth/kube/access.h"

namespace berth::kube {

/// Sets up `context` for connections to `access`: the server's certificate must be signed by its
/// CA and name the host, unless the access is insecure; our certificate if there is one. OpenSSL
/// itself then refuses a server in the handshake. Files are read now. Error: names the file.
[[nodiscard]] Status configure_tls(SSL_CTX* context, const Access& access,
                                   const ReadFile& read_file);

/// Why the last handshake on this thread did not trust the server; empty if it did. Forgets it.
[[nodiscard]] std::string take_distrust();

}  // namespace berth::kube
