/// Small random clusters and pods, full of what goes wrong at edges.
#pragma once

#include <optional>
#include <vector>

#include "berth/cluster/state.h"
#include "berth/model/devices.h"
#include "berth/model/node.h"
#include "berth/model/pod.h"
#include "berth/placement/policy.h"
#include "test/support/choices.h"

namespace berth::test_support {

struct RandomNode {
  std::optional<model::Node> earlier;  ///< what was seen of it at RandomCase::first_seen
  model::Node node;
};

struct RandomCase {
  placement::Policy policy;
  std::vector<RandomNode> nodes;
  std::vector<model::Pod> bound;     ///< some terminal, some on unknown nodes
  model::DeviceObjects devices;      ///< often none
  std::vector<model::Pod> incoming;  ///< to be placed, each on the same cluster
  Time first_seen;
  Time now;  ///< when the nodes became what they are, and the time of the decision
};

/// Classes, slices and claims for nodes node-0, node-1, ... No two of a kind with one name.
[[nodiscard]] model::DeviceObjects random_devices(Choices& choices, std::size_t nodes);

/// 1..max_nodes nodes and `pods` incoming pods.
[[nodiscard]] RandomCase random_case(Choices& choices, std::size_t max_nodes, std::size_t pods);

/// The state that has seen everything in the case, in order.
[[nodiscard]] cluster::ClusterState state_of(const RandomCase& random);

}  // namespace berth::test_support
