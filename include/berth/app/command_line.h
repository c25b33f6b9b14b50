/// The command line: `berth serve ...`, `berth version`, `berth --help`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "berth/app/configuration.h"
#include "berth/base/clock.h"
#include "berth/base/result.h"

namespace berth::app {

/// What `berth serve` was told; a flag that was not given says nothing.
struct ServeFlags {
  std::string cluster_file;     ///< empty: a live cluster
  std::string kubeconfig_file;  ///< empty: $KUBECONFIG or the pod's service account
  std::string context;          ///< empty: the kubeconfig's current one
  std::string config_file;      ///< empty: the defaults
  std::optional<Endpoint> listen;
  std::optional<Endpoint> admin_listen;
  std::optional<Time> now;
  std::optional<telemetry::LogFormat> log_format;
  std::optional<telemetry::LogLevel> log_level;
  std::optional<std::string> tls_certificate_file;
  std::optional<std::string> tls_key_file;
  std::optional<std::string> tls_client_ca_file;
  bool insecure_listen = false;
};

/// Text that is the whole answer (help, version): stdout, exit 0.
struct PrintText {
  std::string text;
};

using Command = std::variant<ServeFlags, PrintText>;

/// `arguments` without the program's name. Error: kInvalidArgument, a usage error in one line.
[[nodiscard]] Result<Command> parse_command_line(std::span<const std::string> arguments);

/// Lays the flags over the file's configuration and checks what only the whole can tell: TLS
/// files are complete, and a listener beyond loopback is guarded by TLS with client certificates
/// unless insecure_listen. Error: kInvalidArgument.
[[nodiscard]] Result<Configuration> apply_flags(Configuration configuration,
                                                const ServeFlags& flags);

/// Whether the admin listener speaks TLS: it is beyond loopback and not declared insecure.
[[nodiscard]] bool admin_speaks_tls(const Configuration& configuration, const ServeFlags& flags);

/// "0.1.0".
[[nodiscard]] std::string_view version();

}  // namespace berth::app
