/// Which live cluster `berth serve` follows when it was not given a file.
#pragma once

#include <string>

#include "berth/app/command_line.h"
#include "berth/base/result.h"
#include "berth/kube/access.h"

namespace berth::app {

/// What the environment says about clusters.
struct ClusterEnvironment {
  std::string kubeconfig;                                    ///< $KUBECONFIG
  std::string service_host;                                  ///< $KUBERNETES_SERVICE_HOST
  std::string service_port;                                  ///< $KUBERNETES_SERVICE_PORT
  std::string service_account{kube::kServiceAccountFolder};  ///< where a pod has its token
};
[[nodiscard]] ClusterEnvironment read_cluster_environment();

/// --kubeconfig, else $KUBECONFIG, else the service account of the pod that we run in. Error:
/// kInvalidArgument, says what could be given. REQUIRES: flags.cluster_file is empty.
[[nodiscard]] Result<kube::Access> find_cluster(const ServeFlags& flags,
                                                const ClusterEnvironment& environment);

}  // namespace berth::app
