/// How a plain extender decides: a map from node name to a structure with maps of resources and
/// labels, one node after the other. What the benchmarks compare with.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/cluster/snapshot.h"
#include "berth/model/pod.h"

namespace berth::bench {

class MapTwin {
 public:
  explicit MapTwin(const cluster::Snapshot& snapshot);

  struct Decision {
    std::unordered_map<std::string, float> scores;  // of the nodes that pass
    std::unordered_map<std::string, std::string> failed;
  };
  /// The same filter and pack score as berth's, for pods without node affinity and tolerations.
  [[nodiscard]] Decision decide(const model::Pod& pod, const std::vector<std::string>& names) const;

 private:
  struct NodeInfo {
    bool unschedulable = false;
    bool tainted = false;
    std::unordered_map<std::string, std::string> labels;
    std::unordered_map<std::string, std::int64_t> allocatable;
    std::unordered_map<std::string, std::int64_t> used;
  };
  using Requests = std::vector<std::pair<std::string, std::int64_t>>;
  static const char* why_not(const NodeInfo& node, const Requests& requests);
  static float score(const NodeInfo& node, const Requests& requests);

  std::unordered_map<std::string, NodeInfo> nodes_;
};

}  // namespace berth::bench
