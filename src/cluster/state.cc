#include "berth/cluster/state.h"

#include <unordered_map>
#include <utility>

#include "devices.h"
#include "held_table.h"
#include "object_table.h"
#include "pod_room.h"
#include "pod_traits.h"

namespace berth::cluster {
namespace {

/// Whether a topology built from either would be the same.
bool same_facts(const model::Node& a, const model::Node& b) {
  return a.name == b.name && a.uid == b.uid && a.creation_time == b.creation_time &&
         a.labels == b.labels && a.taints == b.taints && a.unschedulable == b.unschedulable &&
         a.capacity == b.capacity && a.allocatable == b.allocatable &&
         a.invalid_quantities == b.invalid_quantities;
}

}  // namespace

struct ClusterState::Impl {
  /// Everything about one node name: the node if it is known, the pods if there are any.
  struct Slot : PodRoom::Place {
    std::pair<const std::string, Slot>* item = nullptr;  // where it is itself
    std::shared_ptr<const NodeRecord> record;
    std::shared_ptr<const DeviceRoom> devices;  // null: DRA has nothing here
    std::uint64_t version = 0;                  // of the newest sight of the node
    std::uint32_t list = 0;                     // the last list of nodes that had it
    std::uint32_t place = 0;                    // among `names`
    bool room_changed = false;                  // is in `changed_rooms`
  };
  using Slots = std::unordered_map<std::string, Slot>;  // entries never move

  model::GpuPolicy gpu_policy;
  Slots slots;
  PodRoom pods;
  Devices devices;
  std::size_t nodes = 0;
  std::uint32_t node_list = 0;  // number of the last list of nodes
  bool listing_nodes = false;
  bool listing_pods = false;

  bool nodes_changed = true;  // since `topology`
  bool names_changed = true;  // since `names`
  std::shared_ptr<const Topology> topology;
  std::shared_ptr<const NameIndex> names;
  std::shared_ptr<const Snapshot::HeldTable> held;  // of the last snapshot, as the next two
  std::shared_ptr<const Snapshot> last;
  std::vector<Slots::value_type*> changed_rooms;  // whose pods or devices changed since then
  std::uint64_t generation = 0;

  Slots::value_type& slot(std::string_view name) {
    const auto [at, fresh] = slots.try_emplace(std::string(name));
    names_changed |= fresh;
    at->second.item = &*at;
    return *at;
  }

  void drop_if_unused(Slots::iterator at) {
    const Slot& slot = at->second;
    // One in changed_rooms is looked at again when they are, see take_changed_rooms().
    if (slot.record != nullptr || slot.pods > 0 || slot.devices != nullptr || slot.room_changed) {
      return;
    }
    slots.erase(at);
    names_changed = true;
  }

  void room_changed(Slots::value_type& item) {
    if (item.second.room_changed) return;
    item.second.room_changed = true;
    changed_rooms.push_back(&item);
  }

  void upsert_node(model::Node node, Time now) {
    Slot& here = slot(node.name).second;
    const NodeRecord* before = here.record.get();
    const std::uint64_t version = version_of(node.resource_version);
    here.list = node_list;
    if (before != nullptr && !listing_nodes && is_older(version, here.version)) return;
    here.version = version;
    const bool same_node = before != nullptr && before->node.uid == node.uid;
    const auto offers = here.devices != nullptr ? here.devices->offers : model::DeviceOffers{};
    const auto history =
        model::observe(same_node ? before->history : model::ReadinessHistory{},
                       same_node ? &before->node : nullptr, node, gpu_policy, now, offers);
    // Most updates of a node are heartbeats.
    if (same_node && same_facts(before->node, node) && before->history == history) return;
    if (before == nullptr) ++nodes;
    here.record = std::make_shared<const NodeRecord>(NodeRecord{std::move(node), history, offers});
    nodes_changed = true;
  }

  void remove_node(Slots::iterator at) {
    if (at->second.record == nullptr) return;
    at->second.record.reset();
    --nodes;
    nodes_changed = true;
    drop_if_unused(at);
  }

  void left(PodRoom::Place* place) {
    if (place != nullptr) room_changed(*static_cast<Slot*>(place)->item);
  }

  void end_nodes() {
    listing_nodes = false;
    for (auto at = slots.begin(); at != slots.end();) {
      const auto next = std::next(at);
      if (at->second.list != node_list) remove_node(at);
      at = next;
    }
  }

  void upsert_pod(const model::Pod& pod) {
    const std::string uid = identity_of(pod);
    const std::uint64_t version = version_of(pod.resource_version);
    if (!listing_pods && is_older(version, pods.version(uid))) return;
    if (!model::holds_room(pod)) {
      left(pods.remove(uid));
      return;
    }
    Slots::value_type& here = slot(pod.node_name);
    left(pods.put(uid, here.second,
                  model::effective_request(pod, model::RequestBasis::kSpecAndStatus), version));
    room_changed(here);
  }

  void end_pods() {
    listing_pods = false;
    pods.remove_unlisted([this](PodRoom::Place* place) { left(place); });
  }

  /// Whether the last snapshot had this node, and without GPUs.
  [[nodiscard]] bool was_without_gpus(const model::Node& node) const {
    if (topology == nullptr) return false;
    const auto row = topology->find(node.name);
    return row && topology->node(*row).uid == node.uid &&
           !topology->gpus_allocatable().contains(*row);
  }

  /// A node that berth sees for the first time together with its devices teaches nothing, so that
  /// what comes first, nodes or slices, does not matter.
  void refresh_devices(Time now) {
    const Devices::Changes changes = devices.refresh();
    nodes_changed |= changes.anywhere;
    for (const auto& name : changes.nodes) {
      Slots::value_type& item = slot(name);
      Slot& here = item.second;
      here.devices = devices.room(name);
      room_changed(item);
      const auto offers = here.devices != nullptr ? here.devices->offers : model::DeviceOffers{};
      if (here.record != nullptr && here.record->offers != offers) {
        NodeRecord next{here.record->node, here.record->history, offers};
        if (was_without_gpus(next.node) &&
            !model::has_gpus(next.node, here.record->offers, gpu_policy) &&
            model::has_gpus(next.node, offers, gpu_policy)) {
          next.history.gpus_appeared = now;
        }
        here.record = std::make_shared<const NodeRecord>(std::move(next));
        nodes_changed = true;
      }
    }
  }

  void refresh_topology() {
    if (!nodes_changed) return;
    std::vector<std::shared_ptr<const NodeRecord>> records;
    records.reserve(nodes);
    for (const auto& [name, slot] : slots) {
      if (slot.record != nullptr) records.push_back(slot.record);
    }
    topology = Topology::build(records, gpu_policy, devices.anywhere());
    nodes_changed = false;
  }

  /// Those that are still of use; names that lost their last pod and have no node are dropped.
  std::vector<Slots::value_type*> take_changed_rooms() {
    auto changed = std::exchange(changed_rooms, {});
    std::erase_if(changed, [this](Slots::value_type* item) {
      item->second.room_changed = false;
      const std::size_t before = slots.size();
      drop_if_unused(slots.find(item->first));
      return slots.size() < before;
    });
    return changed;
  }

  void number_names() {
    std::vector<std::string_view> all;
    all.reserve(slots.size());
    for (auto& [name, slot] : slots) {
      slot.place = static_cast<std::uint32_t>(all.size());
      all.emplace_back(name);
    }
    names = std::make_shared<const NameIndex>(all);
    names_changed = false;
  }

  void hold(Snapshot::HeldTable& table, const Slot& slot) const {
    table.pods.set(slot.place, pods.held(slot));
    table.devices.set(slot.place, slot.devices);
  }

  std::shared_ptr<const Snapshot> snapshot(Time now) {
    refresh_devices(now);
    const auto changed = take_changed_rooms();
    const bool same_nodes = !nodes_changed && !names_changed && last != nullptr;
    refresh_topology();
    auto table = std::make_shared<Snapshot::HeldTable>();
    if (names_changed || held == nullptr) {
      number_names();
      table->names = names;
      for (const auto& [name, slot] : slots) hold(*table, slot);
    } else {
      *table = *held;
      for (const auto* item : changed) hold(*table, item->second);
    }
    held = std::move(table);
    if (same_nodes) {
      std::vector<std::string_view> changed_names;
      changed_names.reserve(changed.size());
      for (const auto* item : changed) changed_names.emplace_back(item->first);
      last = Snapshot::make_next(*last, held, changed_names, ++generation, now);
    } else {
      last = Snapshot::make(topology, held, ++generation, now);
    }
    return last;
  }
};

ClusterState::ClusterState(model::GpuPolicy gpu_policy) : impl_(std::make_unique<Impl>()) {
  impl_->gpu_policy = std::move(gpu_policy);
}
ClusterState::~ClusterState() = default;
ClusterState::ClusterState(ClusterState&&) noexcept = default;
ClusterState& ClusterState::operator=(ClusterState&&) noexcept = default;

void ClusterState::set_gpu_policy(model::GpuPolicy gpu_policy) {
  if (impl_->gpu_policy == gpu_policy) return;
  impl_->gpu_policy = std::move(gpu_policy);
  impl_->nodes_changed = true;
}

void ClusterState::upsert_node(model::Node node, Time now) {
  impl_->upsert_node(std::move(node), now);
}

void ClusterState::remove_node(std::string_view name, std::string_view uid) {
  const auto at = impl_->slots.find(std::string(name));
  if (at == impl_->slots.end() || at->second.record == nullptr) return;
  if (uid.empty() || at->second.record->node.uid == uid) impl_->remove_node(at);
}

void ClusterState::upsert_pod(const model::Pod& pod) { impl_->upsert_pod(pod); }
void ClusterState::remove_pod(std::string_view uid) { impl_->left(impl_->pods.remove(uid)); }

void ClusterState::begin_nodes() {
  ++impl_->node_list;
  impl_->listing_nodes = true;
}
void ClusterState::end_nodes() { impl_->end_nodes(); }
void ClusterState::begin_pods() {
  impl_->pods.begin_list();
  impl_->listing_pods = true;
}
void ClusterState::end_pods() { impl_->end_pods(); }

void ClusterState::upsert_device_class(model::DeviceClass device_class) {
  impl_->devices.upsert(std::move(device_class));
}
void ClusterState::upsert_resource_slice(model::ResourceSlice slice) {
  impl_->devices.upsert(std::move(slice));
}
void ClusterState::upsert_resource_claim(const model::ResourceClaim& claim) {
  impl_->devices.upsert(claim);
}
void ClusterState::remove_device_class(std::string_view name, std::string_view uid) {
  impl_->devices.remove_class(name, uid);
}
void ClusterState::remove_resource_slice(std::string_view name, std::string_view uid) {
  impl_->devices.remove_slice(name, uid);
}
void ClusterState::remove_resource_claim(std::string_view uid) { impl_->devices.remove_claim(uid); }
void ClusterState::begin_device_classes() { impl_->devices.begin_classes(); }
void ClusterState::end_device_classes() { impl_->devices.end_classes(); }
void ClusterState::begin_resource_slices() { impl_->devices.begin_slices(); }
void ClusterState::end_resource_slices() { impl_->devices.end_slices(); }
void ClusterState::begin_resource_claims() { impl_->devices.begin_claims(); }
void ClusterState::end_resource_claims() { impl_->devices.end_claims(); }
std::vector<std::string> ClusterState::device_problems() const {
  return impl_->devices.problems(impl_->gpu_policy);
}

void ClusterState::replace(std::vector<model::Node> nodes, const std::vector<model::Pod>& pods,
                           Time now, model::DeviceObjects devices) {
  begin_nodes();
  for (auto& node : nodes) upsert_node(std::move(node), now);
  end_nodes();
  begin_pods();
  for (const auto& pod : pods) upsert_pod(pod);
  end_pods();
  impl_->devices.replace(std::move(devices));
}

std::size_t ClusterState::nodes() const { return impl_->nodes; }
std::size_t ClusterState::pods() const { return impl_->pods.size(); }

std::shared_ptr<const Snapshot> ClusterState::snapshot(Time now) { return impl_->snapshot(now); }

}  // namespace berth::cluster
