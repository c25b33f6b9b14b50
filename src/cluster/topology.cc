#include "berth/cluster/topology.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "label_index.h"

namespace berth::cluster {

using Records = std::vector<std::shared_ptr<const NodeRecord>>;

struct Topology::Index {
  explicit Index(Records ordered)
      : records(std::move(ordered)),
        labels(records),
        taint_groups(records.size()),
        cordoned(records.size()),
        label_rule_holds(records.size()),
        gpus_allocatable(records.size()),
        reconfiguring(records.size()),
        leaving(records.size()),
        gpu_sign(records.size()) {}

  struct TaintClass {
    std::vector<model::Taint> taints;
    RowGroups::Group rows;
  };

  Records records;
  model::GpuPolicy gpu_policy;
  NameIndex names;
  LabelIndex labels;

  RowGroups taint_groups;
  std::vector<TaintClass> taint_classes;
  RowSet cordoned;

  std::vector<model::ReadinessInputs> readiness;
  RowSet label_rule_holds, gpus_allocatable, reconfiguring, leaving, gpu_sign;
  // Rows that are label-pending as long as their grace runs, latest start first.
  std::vector<std::uint32_t> waiting_for_label;

  std::vector<std::string> resources;  // sorted
  std::vector<RowSet> rows_with;
  std::vector<std::vector<std::int64_t>> allocatable;
  std::vector<std::vector<float>> inverse_allocatable;

  std::vector<std::string> devices_anywhere;
  std::map<std::uint32_t, RowSet> delegated;  // by column, where there is any
};

namespace {

std::int64_t units_of(const model::ResourceList::Entry& entry) {
  return std::max<std::int64_t>(0, model::to_units(entry.name, entry.quantity).count());
}

/// What is known of a resource name over all nodes.
struct ResourceUse {
  std::size_t nodes = 0;
  bool gpu = false;
};
using ResourceUses = std::unordered_map<std::string_view, ResourceUse>;

ResourceUses resource_uses(std::span<const std::shared_ptr<const NodeRecord>> records,
                           const model::GpuPolicy& policy,
                           const std::vector<std::string>& devices_anywhere) {
  ResourceUses uses;
  const auto use = [&](const std::string& name, std::size_t nodes) {
    const auto [at, fresh] = uses.try_emplace(name);
    if (fresh) at->second.gpu = model::is_gpu_resource(policy, name);
    at->second.nodes += nodes;
  };
  for (const auto& record : records) {
    for (const auto& entry : record->node.allocatable) use(entry.name, 1);
    for (const auto& offer : record->offers) use(offer.resource, 1);
  }
  for (const auto& name : devices_anywhere) use(name, records.size());
  return uses;
}

/// GPUs of a node, for its place in the order.
model::GpuCount gpus_of(const NodeRecord& record, const ResourceUses& uses) {
  model::GpuCount gpus;
  for (const auto& entry : record.node.allocatable) {
    if (uses.at(entry.name).gpu) gpus += model::GpuCount(units_of(entry));
  }
  for (const auto& offer : record.offers) {
    const bool delegated = !record.node.allocatable.get(offer.resource).positive();
    if (delegated && uses.at(offer.resource).gpu) gpus += model::GpuCount(offer.devices);
  }
  return gpus;
}

/// berth's node order.
Records in_node_order(std::span<const std::shared_ptr<const NodeRecord>> records,
                      const ResourceUses& uses) {
  struct Place {
    std::int64_t gpus;
    std::uint64_t hash;
    const std::shared_ptr<const NodeRecord>* record;
  };
  std::vector<Place> places;
  places.reserve(records.size());
  for (const auto& record : records) {
    places.push_back({gpus_of(*record, uses).count(), hash_name(record->node.name), &record});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.gpus, a.hash, (*a.record)->node.name) <
           std::tie(b.gpus, b.hash, (*b.record)->node.name);
  });
  Records ordered;
  ordered.reserve(places.size());
  for (const auto& place : places) ordered.push_back(*place.record);
  return ordered;
}

std::vector<std::string> resources_with_column(const ResourceUses& uses) {
  std::vector<std::pair<std::string_view, ResourceUse>> chosen(uses.begin(), uses.end());
  if (chosen.size() > kMaxResources) {
    std::sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) {
      return a.second.nodes != b.second.nodes ? a.second.nodes > b.second.nodes : a.first < b.first;
    });
    chosen.resize(kMaxResources);
  }
  std::vector<std::string> names;
  names.reserve(chosen.size());
  for (const auto& [name, use] : chosen) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<ResourceColumn> find_column(const std::vector<std::string>& resources,
                                          std::string_view name) {
  const auto at = std::lower_bound(resources.begin(), resources.end(), name);
  if (at == resources.end() || *at != name) return std::nullopt;
  return ResourceColumn{static_cast<std::uint32_t>(at - resources.begin())};
}

}  // namespace

struct Topology::Builder {
  Index& index;
  std::size_t rows = index.records.size();
  std::size_t padded = words_for(rows) * kRowsPerWord;

  void add_names() const {
    std::vector<std::string_view> names;
    names.reserve(rows);
    for (const auto& record : index.records) names.emplace_back(record->node.name);
    index.names = NameIndex(names);
  }

  void add_columns() const {
    const std::size_t columns = index.resources.size();
    index.rows_with.assign(columns, RowSet(rows));
    index.allocatable.assign(columns, std::vector<std::int64_t>(padded, 0));
    index.inverse_allocatable.assign(columns, std::vector<float>(padded, 0.0F));
    for (std::size_t row = 0; row < rows; ++row) {
      for (const auto& entry : index.records[row]->node.allocatable) {
        const auto column = find_column(index.resources, entry.name);
        if (column) set_allocatable(*column, row, units_of(entry));
      }
    }
  }

  void set_allocatable(ResourceColumn column, std::size_t row, std::int64_t units) const {
    if (units == 0) return;
    index.rows_with[column.index].insert(Row{static_cast<std::uint32_t>(row)});
    index.allocatable[column.index][row] = units;
    index.inverse_allocatable[column.index][row] = 1.0F / static_cast<float>(units);
  }

  /// REQUIRES: add_columns().
  void add_devices() const {
    for (const auto& resource : index.devices_anywhere) {
      const auto column = find_column(index.resources, resource);
      if (!column) continue;
      RowSet rows_without = index.rows_with[column->index].complement();
      if (!rows_without.empty()) index.delegated.emplace(column->index, std::move(rows_without));
    }
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (const auto& offer : index.records[row]->offers) {
        const auto column = find_column(index.resources, offer.resource);
        if (!column || index.allocatable[column->index][row] > 0) continue;
        index.delegated.try_emplace(column->index, rows).first->second.insert(Row{row});
        set_allocatable(*column, row, offer.devices);
      }
    }
  }

  void add_taints() const {
    std::map<std::vector<model::Taint>, std::vector<std::uint32_t>> classes;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const model::Node& node = index.records[row]->node;
      if (node.unschedulable) index.cordoned.insert(Row{row});
      std::vector<model::Taint> excluding;
      for (const auto& taint : node.taints) {
        // The others (PreferNoSchedule, often with a time as value) exclude nobody.
        if (taint.effect == model::TaintEffect::kNoSchedule ||
            taint.effect == model::TaintEffect::kNoExecute) {
          excluding.push_back(taint);
        }
      }
      if (!excluding.empty()) classes[std::move(excluding)].push_back(row);
    }
    for (const auto& [taints, members] : classes) {
      index.taint_classes.push_back({taints, index.taint_groups.add(members)});
    }
  }

  void add_readiness() const {
    index.readiness.reserve(rows);
    for (std::uint32_t i = 0; i < rows; ++i) {
      const NodeRecord& record = *index.records[i];
      const auto inputs =
          model::readiness_inputs(record.node, record.history, index.gpu_policy, record.offers);
      const Row row{i};
      if (inputs.label_rule_holds) index.label_rule_holds.insert(row);
      if (inputs.gpus_allocatable) index.gpus_allocatable.insert(row);
      if (inputs.reconfiguring) index.reconfiguring.insert(row);
      if (inputs.leaving) index.leaving.insert(row);
      if (inputs.gpu_sign) index.gpu_sign.insert(row);
      if (inputs.gpus_allocatable && !inputs.label_rule_holds && !inputs.reconfiguring &&
          !inputs.leaving) {
        index.waiting_for_label.push_back(i);
      }
      index.readiness.push_back(inputs);
    }
    std::sort(index.waiting_for_label.begin(), index.waiting_for_label.end(),
              [this](std::uint32_t a, std::uint32_t b) {
                return index.readiness[a].grace_start > index.readiness[b].grace_start;
              });
  }
};

std::shared_ptr<const Topology> Topology::build(
    std::span<const std::shared_ptr<const NodeRecord>> nodes, const model::GpuPolicy& gpu_policy,
    std::vector<std::string> devices_anywhere) {
  const ResourceUses uses = resource_uses(nodes, gpu_policy, devices_anywhere);
  auto index = std::make_shared<Index>(in_node_order(nodes, uses));
  index->gpu_policy = gpu_policy;
  index->resources = resources_with_column(uses);
  index->devices_anywhere = std::move(devices_anywhere);
  const Builder builder{*index};
  builder.add_names();
  builder.add_columns();
  builder.add_devices();
  builder.add_taints();
  builder.add_readiness();

  const std::shared_ptr<Topology> topology(new Topology());
  topology->index_ = std::move(index);
  return topology;
}

std::size_t Topology::rows() const { return index_->records.size(); }
std::size_t Topology::padded_rows() const { return words_for(rows()) * kRowsPerWord; }
std::optional<Row> Topology::find(std::string_view name) const { return index_->names.find(name); }

const model::Node& Topology::node(Row row) const {
  assert(row.index < rows());
  return index_->records[row.index]->node;
}
const model::ReadinessHistory& Topology::history(Row row) const {
  assert(row.index < rows());
  return index_->records[row.index]->history;
}
const model::GpuPolicy& Topology::gpu_policy() const { return index_->gpu_policy; }
const std::vector<std::string>& Topology::devices_anywhere() const {
  return index_->devices_anywhere;
}

void Topology::add_rows_with(std::string_view key, std::string_view value, RowSet& rows) const {
  index_->labels.add_rows_with(key, value, rows);
}
void Topology::add_rows_with_key(std::string_view key, RowSet& rows) const {
  index_->labels.add_rows_with_key(key, rows);
}
void Topology::add_matching_rows(const model::NodeSelectorRequirement& requirement,
                                 RowSet& rows) const {
  index_->labels.add_matching_rows(requirement, rows);
}

const RowSet& Topology::cordoned() const { return index_->cordoned; }
void Topology::add_untolerated_rows(std::span<const model::Toleration> tolerations,
                                    RowSet& rows) const {
  for (const auto& taint_class : index_->taint_classes) {
    if (model::first_untolerated(taint_class.taints, tolerations) != nullptr) {
      index_->taint_groups.add_to(taint_class.rows, rows);
    }
  }
}

const RowSet& Topology::label_rule_holds() const { return index_->label_rule_holds; }
const RowSet& Topology::gpus_allocatable() const { return index_->gpus_allocatable; }
const RowSet& Topology::reconfiguring() const { return index_->reconfiguring; }
const RowSet& Topology::leaving() const { return index_->leaving; }
const RowSet& Topology::gpu_sign() const { return index_->gpu_sign; }
const model::ReadinessInputs& Topology::readiness_inputs(Row row) const {
  assert(row.index < rows());
  return index_->readiness[row.index];
}

RowSet Topology::label_pending(Time now) const {
  RowSet pending(rows());
  for (const auto row : index_->waiting_for_label) {
    // Latest start first: once the grace of one is over, so is that of all that follow.
    const auto state = model::judge(index_->readiness[row], now, index_->gpu_policy.grace);
    if (state != model::Readiness::kLabelPending) break;
    pending.insert(Row{row});
  }
  return pending;
}

std::optional<ResourceColumn> Topology::column(std::string_view resource) const {
  return find_column(index_->resources, resource);
}
std::span<const std::string> Topology::resources() const { return index_->resources; }
std::span<const std::int64_t> Topology::allocatable(ResourceColumn column) const {
  return index_->allocatable[column.index];
}
const RowSet& Topology::rows_with(ResourceColumn column) const {
  return index_->rows_with[column.index];
}
const RowSet* Topology::delegated(ResourceColumn column) const {
  const auto at = index_->delegated.find(column.index);
  return at == index_->delegated.end() ? nullptr : &at->second;
}
bool Topology::any_delegated() const { return !index_->delegated.empty(); }
std::span<const float> Topology::inverse_allocatable(ResourceColumn column) const {
  return index_->inverse_allocatable[column.index];
}

}  // namespace berth::cluster
