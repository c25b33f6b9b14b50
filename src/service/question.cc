#include "question.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace berth::service {
namespace {

using cluster::Snapshot;
using codec::ExtenderArgs;
using codec::RequestedNode;

/// The places in `places` (ascending) that name something for the first time. Sorted rather than
/// hashed: a request cannot choose names that make this slow.
std::vector<std::uint32_t> without_repeats(std::vector<std::uint32_t> places,
                                           const std::vector<RequestedNode>& requested) {
  const auto name = [&](std::uint32_t place) { return requested[place].name; };
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); });
  places.erase(std::unique(places.begin(), places.end(),
                           [&](std::uint32_t a, std::uint32_t b) { return name(a) == name(b); }),
               places.end());
  std::sort(places.begin(), places.end());
  return places;
}

/// The cluster as the request describes it: its items, and what `newest` knows of other names.
std::shared_ptr<const Snapshot> as_requested(const ExtenderArgs& args, const Snapshot& newest) {
  std::vector<std::uint32_t> with_item;
  std::vector<std::uint32_t> name_only;
  for (std::uint32_t place = 0; place < args.requested.size(); ++place) {
    const bool has_item = args.requested[place].node != RequestedNode::kNoNode;
    (has_item ? with_item : name_only).push_back(place);
  }
  std::vector<std::string_view> item_names;
  std::vector<model::Node> nodes;
  for (const std::uint32_t place : without_repeats(std::move(with_item), args.requested)) {
    item_names.push_back(args.requested[place].name);
    nodes.push_back(args.nodes[args.requested[place].node]);
  }
  std::sort(item_names.begin(), item_names.end());
  for (const std::uint32_t place : without_repeats(std::move(name_only), args.requested)) {
    const std::string_view name = args.requested[place].name;
    if (std::binary_search(item_names.begin(), item_names.end(), name)) continue;
    const auto row = newest.topology().find(name);
    if (row) nodes.push_back(newest.topology().node(*row));
  }
  return Snapshot::with_nodes(newest, std::move(nodes));
}

}  // namespace

Question ask(const ExtenderArgs& args, std::shared_ptr<const Snapshot> newest) {
  Question question;
  question.snapshot = args.has_nodes ? as_requested(args, *newest) : std::move(newest);
  question.nodes.reserve(args.requested.size());

  const cluster::Topology& topology = question.snapshot->topology();
  RowSet seen(topology.rows());
  std::vector<std::uint32_t> unknown;
  for (std::uint32_t place = 0; place < args.requested.size(); ++place) {
    const auto row = topology.find(args.requested[place].name);
    if (!row) {
      unknown.push_back(place);
    } else if (!seen.contains(*row)) {
      seen.insert(*row);
      question.nodes.push_back({place, row});
    }
  }
  if (unknown.empty()) return question;

  const std::size_t known = question.nodes.size();
  for (const std::uint32_t place : without_repeats(std::move(unknown), args.requested)) {
    question.nodes.push_back({place, std::nullopt});
  }
  std::inplace_merge(
      question.nodes.begin(), question.nodes.begin() + static_cast<std::ptrdiff_t>(known),
      question.nodes.end(),
      [](const AskedNode& a, const AskedNode& b) { return a.requested < b.requested; });
  return question;
}

}  // namespace berth::service
