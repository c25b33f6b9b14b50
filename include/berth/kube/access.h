/// How to reach an API server and who we are there.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth::kube {

/// The port through which files are read: the whole file, at most `max_bytes`. Error: kNotFound
/// when it cannot be read, kTooLarge. Thread-safe.
using ReadFile = std::function<Result<std::string>(const std::string& path, std::size_t max_bytes)>;

/// PEM text, or the file that has it (read again for every connection); at most one is set.
struct Pem {
  std::string file;
  std::string text;
  [[nodiscard]] bool empty() const { return file.empty() && text.empty(); }
};

/// Value type. Holds secrets: never print one; `description` is what may be shown.
struct Access {
  std::string host;  ///< a name or an IP address, IPv6 without brackets
  int port = 443;
  std::string path_prefix;  ///< before /api and /apis: "" or "/some/path"
  bool tls = true;
  std::string tls_server_name;  ///< the name in the server's certificate; empty: host
  bool insecure_skip_tls_verify = false;
  Pem certificate_authority;  ///< empty: the system's
  Pem client_certificate;     ///< empty: none; comes with its key
  Pem client_key;
  std::string token;        ///< bearer token; empty: none
  std::string token_file;   ///< read again for every request; wins over token
  std::string description;  ///< "context kind-a of /home/me/.kube/config", for messages
};

/// The context `context` (empty: the current one) of the files merged as kubectl does: the first
/// file that names a cluster, user, context or the current context wins; of several files those
/// that cannot be read are skipped. Relative file names count from their kubeconfig's folder.
/// Errors: kInvalidArgument, naming file and field: a file that cannot be read or is no
/// kubeconfig, an unknown context, cluster or user, and what berth does not support: exec and
/// auth-provider plugins, basic authentication, impersonation, proxies.
/// Source: client-go tools/clientcmd (loader.go, client_config.go).
[[nodiscard]] Result<Access> access_from_kubeconfig(std::span<const std::string> files,
                                                    std::string_view context,
                                                    const ReadFile& read_file);

/// The files of $KUBECONFIG: paths separated by colons, empty ones left out.
[[nodiscard]] std::vector<std::string> split_kubeconfig_paths(std::string_view paths);

/// Where a pod finds its service account.
inline constexpr std::string_view kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";

/// The service account of the pod that we run in. `host` and `port` are those of the environment
/// (KUBERNETES_SERVICE_HOST and _PORT). Errors: kNotFound when this is no pod.
/// Source: client-go rest.InClusterConfig.
[[nodiscard]] Result<Access> access_in_cluster(std::string_view host, std::string_view port,
                                               const ReadFile& read_file,
                                               std::string_view folder = kServiceAccountFolder);

}  // namespace berth::kube
