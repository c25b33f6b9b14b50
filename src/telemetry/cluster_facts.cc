#include "berth/telemetry/cluster_facts.h"

#include <algorithm>

namespace berth::telemetry {

ClusterFacts describe(const cluster::Snapshot* snapshot, Time now) {
  ClusterFacts facts;
  if (snapshot == nullptr) return facts;
  facts.has_snapshot = true;
  facts.generation = snapshot->generation();
  facts.age = std::max(now - snapshot->taken_at(), Duration::zero());
  facts.nodes = snapshot->rows();
  const cluster::Topology& topology = snapshot->topology();
  const Duration grace = topology.gpu_policy().grace;
  for (std::uint32_t i = 0; i < snapshot->rows(); ++i) {
    const model::Readiness readiness = model::judge(topology.readiness_inputs(Row{i}), now, grace);
    ++facts.nodes_by_readiness[static_cast<std::size_t>(readiness)];
  }
  return facts;
}

}  // namespace berth::telemetry
