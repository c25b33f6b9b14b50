#include "berth/app/cluster_access.h"

#include <cstdlib>

#include "berth/app/files.h"

namespace berth::app {

ClusterEnvironment read_cluster_environment() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read before any thread
    return std::string(text != nullptr ? text : "");
  };
  ClusterEnvironment environment;
  environment.kubeconfig = value("KUBECONFIG");
  environment.service_host = value("KUBERNETES_SERVICE_HOST");
  environment.service_port = value("KUBERNETES_SERVICE_PORT");
  return environment;
}

Result<kube::Access> find_cluster(const ServeFlags& flags, const ClusterEnvironment& environment) {
  if (!flags.kubeconfig_file.empty()) {
    return kube::access_from_kubeconfig({&flags.kubeconfig_file, 1}, flags.context, read_file);
  }
  const auto files = kube::split_kubeconfig_paths(environment.kubeconfig);
  if (!files.empty()) return kube::access_from_kubeconfig(files, flags.context, read_file);
  auto access = kube::access_in_cluster(environment.service_host, environment.service_port,
                                        read_file, environment.service_account);
  if (access || access.error().code != ErrorCode::kNotFound) return access;
  return Error{ErrorCode::kInvalidArgument,
               "serve needs a cluster: --cluster FILE (what `kubectl get nodes,pods -A -o json` "
               "prints), --kubeconfig FILE, $KUBECONFIG, or a pod's service account"};
}

}  // namespace berth::app
