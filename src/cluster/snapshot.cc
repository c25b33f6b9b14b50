#include "berth/cluster/snapshot.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "held_table.h"

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

/// The columns of a snapshot while they are made.
class Snapshot::Counting {
 public:
  Counting(const Topology& topology, const HeldTable& held)
      : topology_(topology), held_(held), guess_(topology) {}

  /// Every row from scratch.
  void count_all() {
    const auto resources = static_cast<std::uint32_t>(topology_.resources().size());
    for (ResourceColumn column; column.index < resources; ++column.index) {
      const auto allocatable = topology_.allocatable(column);
      columns_.free.emplace_back(allocatable.begin(), allocatable.end());
      columns_.least_free.emplace_back(words_for(allocatable.size()));
    }
    fractions_.assign(resources, std::vector<float>(topology_.padded_rows(), 0.0F));
    for (std::uint32_t row = 0; row < topology_.rows(); ++row) hold_all(row);
    for (std::size_t word = 0; word < words_for(topology_.rows()); ++word) find_least(word);
  }

  /// These rows again, in the columns of an earlier snapshot of the same topology.
  void count_again(const Snapshot& previous, std::span<const std::string_view> names) {
    columns_ = *previous.columns_;
    fractions_ = *previous.held_fractions_;
    for (const std::string_view name : names) {
      const auto row = topology_.find(name);
      if (!row) continue;
      for (ResourceColumn column; column.index < columns_.free.size(); ++column.index) {
        columns_.free[column.index][row->index] = topology_.allocatable(column)[row->index];
        fractions_[column.index][row->index] = 0.0F;
      }
      hold_all(row->index);
      find_least(row->index / kRowsPerWord);
    }
  }

  [[nodiscard]] std::shared_ptr<const Columns> take_columns() {
    return std::make_shared<const Columns>(std::move(columns_));
  }
  [[nodiscard]] std::shared_ptr<const Fractions> take_fractions() {
    return std::make_shared<const Fractions>(std::move(fractions_));
  }

 private:
  void hold_all(std::uint32_t row) {
    const auto place = held_.names->find(topology_.node(Row{row}).name);
    if (!place) return;
    if (const Held* of_pods = held_.pods.at(place->index)) {
      for (std::size_t i = 0; i < of_pods->size(); ++i) {
        const auto& [resource, units] = (*of_pods)[i];
        const auto column = guess_.find(i, resource);
        if (column && !is_delegated(*column, row)) hold(*column, row, units);
      }
    }
    if (const DeviceRoom* room = held_.devices.at(place->index)) {
      for (const auto& [resource, units] : room->allocated) {
        const auto column = topology_.column(resource);
        if (column && is_delegated(*column, row)) hold(*column, row, units);
      }
    }
  }

  [[nodiscard]] bool is_delegated(ResourceColumn column, std::uint32_t row) const {
    if (!topology_.any_delegated()) return false;
    const RowSet* delegated = topology_.delegated(column);
    return delegated != nullptr && delegated->contains(Row{row});
  }

  void hold(ResourceColumn column, std::uint32_t row, std::int64_t units) {
    auto& free_units = columns_.free[column.index][row];
    free_units = saturating_subtract(free_units, units);
    const float fraction = static_cast<float>(units) * topology_.inverse_allocatable(column)[row];
    fractions_[column.index][row] = std::clamp(fraction, 0.0F, 1.0F);
  }

  void find_least(std::size_t word) {
    for (std::size_t column = 0; column < columns_.free.size(); ++column) {
      const std::int64_t* first = columns_.free[column].data() + word * kRowsPerWord;
      columns_.least_free[column][word] = *std::min_element(first, first + kRowsPerWord);
    }
  }

  const Topology& topology_;
  const HeldTable& held_;
  ColumnGuess guess_;
  Columns columns_;
  Fractions fractions_;
};

std::span<const std::int64_t> Snapshot::free(ResourceColumn column) const {
  return columns_->free[column.index];
}
std::span<const std::int64_t> Snapshot::least_free(ResourceColumn column) const {
  return columns_->least_free[column.index];
}
std::span<const float> Snapshot::held_fraction(ResourceColumn column) const {
  return (*held_fractions_)[column.index];
}

const Held* Snapshot::held(std::string_view node_name) const {
  const auto place = held_->names->find(node_name);
  return place ? held_->pods.at(place->index) : nullptr;
}

const DeviceRoom* Snapshot::devices(std::string_view node_name) const {
  const auto place = held_->names->find(node_name);
  return place ? held_->devices.at(place->index) : nullptr;
}

std::shared_ptr<const Snapshot> Snapshot::assemble(Counting& counting,
                                                   std::shared_ptr<const Topology> topology,
                                                   std::shared_ptr<const HeldTable> held,
                                                   std::uint64_t generation, Time taken_at) {
  const std::shared_ptr<Snapshot> snapshot(new Snapshot());
  snapshot->topology_ = std::move(topology);
  snapshot->held_ = std::move(held);
  snapshot->columns_ = counting.take_columns();
  snapshot->held_fractions_ = counting.take_fractions();
  snapshot->generation_ = generation;
  snapshot->taken_at_ = taken_at;
  return snapshot;
}

std::shared_ptr<const Snapshot> Snapshot::make(std::shared_ptr<const Topology> topology,
                                               std::shared_ptr<const HeldTable> held,
                                               std::uint64_t generation, Time taken_at) {
  Counting counting(*topology, *held);
  counting.count_all();
  return assemble(counting, std::move(topology), std::move(held), generation, taken_at);
}

std::shared_ptr<const Snapshot> Snapshot::make_next(const Snapshot& previous,
                                                    std::shared_ptr<const HeldTable> held,
                                                    std::span<const std::string_view> changed,
                                                    std::uint64_t generation, Time taken_at) {
  Counting counting(*previous.topology_, *held);
  counting.count_again(previous, changed);
  return assemble(counting, previous.topology_, std::move(held), generation, taken_at);
}

std::shared_ptr<const Snapshot> Snapshot::with_expected(const Snapshot& base,
                                                        std::span<const ExpectedUse> uses) {
  const Topology& topology = *base.topology_;
  Fractions fractions = *base.held_fractions_;
  for (const auto& [node_name, held] : uses) {
    const auto row = topology.find(node_name);
    if (!row) continue;
    for (const auto& [resource, units] : held) {
      const auto column = topology.column(resource);
      if (!column) continue;
      float& fraction = fractions[column->index][row->index];
      const float more =
          static_cast<float>(units) * topology.inverse_allocatable(*column)[row->index];
      fraction = std::clamp(fraction + more, 0.0F, 1.0F);
    }
  }
  const std::shared_ptr<Snapshot> snapshot(new Snapshot(base));
  snapshot->held_fractions_ = std::make_shared<const Fractions>(std::move(fractions));
  return snapshot;
}

std::shared_ptr<const Snapshot> Snapshot::with_held(const Snapshot& base,
                                                    std::string_view node_name, Held held) {
  const auto place = base.held_->names->find(node_name);
  if (!place || base.held_->pods.at(place->index) == nullptr) {
    return std::make_shared<const Snapshot>(base);
  }
  auto table = std::make_shared<HeldTable>(*base.held_);
  table->pods.set(place->index,
                  held.empty() ? nullptr : std::make_shared<const Held>(std::move(held)));
  return make_next(base, std::move(table), {{node_name}}, base.generation_, base.taken_at_);
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
