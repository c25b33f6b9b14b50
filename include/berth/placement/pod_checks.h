/// What kube-scheduler checks of a pod beyond what an extender is asked about: the node's name,
/// host ports, topology spread, and affinity between pods. Only explaining and checking need it:
/// nodes that fail here never reach an extender.
///
/// Source of the rules: kube-scheduler's plugins nodename, nodeports, podtopologyspread and
/// interpodaffinity (1.37).
#pragma once

#include "berth/base/row_set.h"
#include "berth/cluster/picture.h"
#include "berth/model/pod.h"

namespace berth::placement {

/// The rows that each check refuses, each judged on its own over all rows.
struct PodChecks {
  RowSet node_name;               ///< spec.nodeName names another node
  RowSet host_ports;              ///< a port is taken by a pod on the node
  RowSet spread_label;            ///< a topology key of a hard constraint is missing on the node
  RowSet spread;                  ///< a hard constraint's skew would be exceeded
  RowSet affinity;                ///< required pod affinity
  RowSet anti_affinity;           ///< the pod's own required anti-affinity
  RowSet existing_anti_affinity;  ///< required anti-affinity of a pod that is there
};

/// Cost: nothing for a pod without such rules on a cluster without anti-affinity; else O(pods x
/// terms). Pods of unknown nodes are left out. A namespace that the picture does not know has no
/// labels (but kubernetes.io/metadata.name).
[[nodiscard]] PodChecks check_pods(const model::Pod& pod, const cluster::Picture& picture);

}  // namespace berth::placement
