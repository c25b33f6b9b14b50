/// What a request asks about: a snapshot to judge in and its nodes as rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "berth/base/row_set.h"
#include "berth/cluster/snapshot.h"
#include "berth/codec/extender_args.h"

namespace berth::service {

/// One node of a request. No row: the snapshot does not know the name.
struct AskedNode {
  std::uint32_t requested = 0;  ///< index into ExtenderArgs::requested
  std::optional<Row> row;
};

/// Every node that a request names, once each, in the order of the request; a repeated name stands
/// where it stood first.
struct Question {
  std::shared_ptr<const cluster::Snapshot> snapshot;
  std::vector<AskedNode> nodes;
};

/// Names are looked up in `newest`. Where the request brought whole nodes, their facts come from
/// the request (of two items with one name the first), the room on them from the pods of `newest`;
/// a name without an item keeps the facts that `newest` has. Cost: a look-up per name; in the
/// full-node form the building of a topology.
[[nodiscard]] Question ask(const codec::ExtenderArgs& args,
                           std::shared_ptr<const cluster::Snapshot> newest);

}  // namespace berth::service
