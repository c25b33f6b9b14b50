#include "berth/cluster/snapshot.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace berth::cluster {
namespace {

std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) {
  return (model::ResourceUnits(a) - model::ResourceUnits(b)).count();
}

/// Remembers which column stood at each position of the last node's list: neighbours nearly always
/// hold the same resources, and comparing two short names is cheaper than a search.
class ColumnGuess {
 public:
  explicit ColumnGuess(const Topology& topology) : topology_(topology) {}

  std::optional<ResourceColumn> find(std::size_t position, const std::string& resource) {
    if (position >= last_.size()) last_.resize(position + 1);
    auto& [name, column] = last_[position];
    if (name == nullptr || *name != resource) {
      name = &resource;
      column = topology_.column(resource);
    }
    return column;
  }

 private:
  const Topology& topology_;
  std::vector<std::pair<const std::string*, std::optional<ResourceColumn>>> last_;
};

}  // namespace

std::span<const std::int64_t> Snapshot::free(ResourceColumn column) const {
  return free_[column.index];
}
std::span<const std::int64_t> Snapshot::least_free(ResourceColumn column) const {
  return least_free_[column.index];
}
std::span<const float> Snapshot::held_fraction(ResourceColumn column) const {
  return held_fraction_[column.index];
}

const Held* Snapshot::held(std::string_view node_name) const {
  const auto row = held_->names->find(node_name);
  return row ? held_->held[row->index].get() : nullptr;
}

const DeviceRoom* Snapshot::devices(std::string_view node_name) const {
  if (held_->devices.empty()) return nullptr;
  const auto row = held_->names->find(node_name);
  return row ? held_->devices[row->index].get() : nullptr;
}

void Snapshot::hold(ResourceColumn column, std::uint32_t row, std::int64_t units) {
  auto& free_units = free_[column.index][row];
  free_units = saturating_subtract(free_units, units);
  const float fraction = static_cast<float>(units) * topology_->inverse_allocatable(column)[row];
  held_fraction_[column.index][row] = std::clamp(fraction, 0.0F, 1.0F);
}

void Snapshot::subtract_held() {
  ColumnGuess guess(*topology_);
  const bool any_delegated = topology_->any_delegated();
  const auto is_delegated = [this](ResourceColumn column, std::uint32_t row) {
    const RowSet* delegated = topology_->delegated(column);
    return delegated != nullptr && delegated->contains(Row{row});
  };
  for (std::uint32_t row = 0; row < rows(); ++row) {
    const Held* held_here = held(topology_->node(Row{row}).name);
    if (held_here == nullptr) continue;
    for (std::size_t i = 0; i < held_here->size(); ++i) {
      const auto& [resource, units] = (*held_here)[i];
      const auto column = guess.find(i, resource);
      if (!column || (any_delegated && is_delegated(*column, row))) continue;
      hold(*column, row, units);
    }
  }
  if (!any_delegated) return;
  for (std::uint32_t row = 0; row < rows(); ++row) {
    const DeviceRoom* room = devices(topology_->node(Row{row}).name);
    if (room == nullptr) continue;
    for (const auto& [resource, units] : room->allocated) {
      const auto column = topology_->column(resource);
      if (column && is_delegated(*column, row)) hold(*column, row, units);
    }
  }
}

void Snapshot::find_least_free() {
  least_free_.reserve(free_.size());
  for (const auto& column : free_) {
    auto& least = least_free_.emplace_back();
    least.reserve(words_for(column.size()));
    for (auto word = column.begin(); word != column.end(); word += kRowsPerWord) {
      least.push_back(*std::min_element(word, word + kRowsPerWord));
    }
  }
}

std::shared_ptr<const Snapshot> Snapshot::make(std::shared_ptr<const Topology> topology,
                                               std::shared_ptr<const HeldTable> held,
                                               std::uint64_t generation, Time taken_at) {
  const std::shared_ptr<Snapshot> snapshot(new Snapshot());
  snapshot->topology_ = std::move(topology);
  snapshot->held_ = std::move(held);
  snapshot->generation_ = generation;
  snapshot->taken_at_ = taken_at;

  const Topology& nodes = *snapshot->topology_;
  const auto columns = static_cast<std::uint32_t>(nodes.resources().size());
  snapshot->free_.reserve(columns);
  for (ResourceColumn column; column.index < columns; ++column.index) {
    const auto allocatable = nodes.allocatable(column);
    snapshot->free_.emplace_back(allocatable.begin(), allocatable.end());
  }
  snapshot->held_fraction_.assign(columns, std::vector<float>(nodes.padded_rows(), 0.0F));
  snapshot->subtract_held();
  snapshot->find_least_free();
  return snapshot;
}

std::shared_ptr<const Snapshot> Snapshot::with_nodes(const Snapshot& base,
                                                     std::vector<model::Node> nodes) {
  const Topology& known = base.topology();
  std::vector<std::shared_ptr<const NodeRecord>> records;
  records.reserve(nodes.size());
  std::unordered_set<std::string_view> names;
  for (auto& node : nodes) {
    auto record = std::make_shared<NodeRecord>();
    record->node = std::move(node);
    if (!names.insert(record->node.name).second) continue;
    const auto row = known.find(record->node.name);
    if (row && known.node(*row).uid == record->node.uid) record->history = known.history(*row);
    if (const auto* room = base.devices(record->node.name)) record->offers = room->offers;
    records.push_back(std::move(record));
  }
  auto topology = Topology::build(records, known.gpu_policy(), known.devices_anywhere());
  return make(std::move(topology), base.held_, base.generation(), base.taken_at());
}

}  // namespace berth::cluster
