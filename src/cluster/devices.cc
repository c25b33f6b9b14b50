#include "devices.h"

#include <algorithm>
#include <tuple>

namespace berth::cluster {
namespace {

std::string identity_of(const model::ResourceClaim& claim) {
  return claim.uid.empty() ? claim.namespace_name + '/' + claim.name : claim.uid;
}

/// Of classes that claim one resource the newer serves it, of equally old ones the lower name.
/// Source: dynamic-resource-allocation/deviceclass/extendedresourcecache.
bool goes_before(const model::DeviceClass& a, const model::DeviceClass& b) {
  const Time a_time = a.creation_time.value_or(Time::min());
  const Time b_time = b.creation_time.value_or(Time::min());
  return std::tie(b_time, a.name) < std::tie(a_time, b.name);
}

bool same(const DeviceRoom* a, const DeviceRoom* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->offers == b->offers && a->allocated == b->allocated;
}

}  // namespace

Devices::Devices()
    : classes_([this](auto, auto) { classes_changed_ = true; }),
      slices_([this](const auto* before, const auto* after) { on_slice(before, after); }),
      claims_([this](const auto* before, const auto* after) { on_claim(before, after); }) {}

void Devices::upsert(model::DeviceClass device_class) {
  const std::string name = device_class.name;
  const std::string version = device_class.resource_version;
  classes_.upsert(name, version, std::move(device_class));
}

void Devices::upsert(model::ResourceSlice slice) {
  const std::string name = slice.name;
  const std::string version = slice.resource_version;
  slices_.upsert(name, version, std::move(slice));
}

void Devices::upsert(const model::ResourceClaim& claim) {
  Holding holding{claim.uid, {}};
  for (const auto& [driver, pool, device] : claim.allocated) {
    holding.devices.push_back({&changed_pool(driver, pool), device});
  }
  claims_.upsert(identity_of(claim), claim.resource_version, std::move(holding));
}

void Devices::replace(model::DeviceObjects objects) {
  classes_.begin();
  for (auto& each : objects.classes) upsert(std::move(each));
  classes_.end();
  slices_.begin();
  for (auto& each : objects.slices) upsert(std::move(each));
  slices_.end();
  claims_.begin();
  for (const auto& each : objects.claims) upsert(each);
  claims_.end();
}

void Devices::on_slice(const model::ResourceSlice* before, const model::ResourceSlice* after) {
  if (before != nullptr)
    changed_pool(before->driver, before->pool).second.slices.erase(before->name);
  if (after != nullptr) changed_pool(after->driver, after->pool).second.slices[after->name] = after;
}

void Devices::on_claim(const Holding* before, const Holding* after) {
  if (after != nullptr) {
    for (const auto& [pool, device] : after->devices) {
      ++pool->second.held[device];
      mark(*pool);
    }
  }
  if (before == nullptr) return;
  for (const auto& [pool, device] : before->devices) {
    const auto at = pool->second.held.find(device);
    if (--at->second == 0) pool->second.held.erase(at);
    mark(*pool);
  }
}

Devices::Pools::value_type& Devices::changed_pool(const std::string& driver,
                                                  const std::string& pool) {
  auto& entry = *pools_.try_emplace({driver, pool}, Pool(driver)).first;
  mark(entry);
  return entry;
}

void Devices::mark(Pools::value_type& pool) {
  if (pool.second.changed) return;
  pool.second.changed = true;
  changed_pools_.push_back(&pool);
}

void Devices::choose_classes() {
  std::map<std::string, const model::DeviceClass*> chosen;
  classes_.each([&](const model::DeviceClass& each) {
    // Only extended resources are looked for among devices, and their names have a prefix.
    if (each.extended_resource_name.find('/') == std::string::npos) return;
    const auto [at, fresh] = chosen.try_emplace(each.extended_resource_name, &each);
    if (!fresh && goes_before(each, *at->second)) at->second = &each;
  });
  classes_.each([&](const model::DeviceClass& each) {
    chosen[std::string(model::kImplicitResourcePrefix) + each.name] = &each;
  });
  served_.clear();
  for (const auto& [resource, device_class] : chosen) {
    served_.push_back({resource, device_class->name, model::driver_rule(*device_class)});
  }
}

/// Counts the newest generation of the pool. Devices of a pool that kube-scheduler would not
/// allocate from (slices are missing, a name comes twice) are there and are not counted.
void Devices::share_out(Pool& pool) {
  pool.shares.clear();
  pool.anywhere = false;
  std::int64_t newest = INT64_MIN;
  for (const auto& [name, slice] : pool.slices) newest = std::max(newest, slice->pool_generation);
  std::vector<const model::ResourceSlice*> current;
  for (const auto& [name, slice] : pool.slices) {
    if (slice->pool_generation == newest) current.push_back(slice);
  }

  bool usable = true;
  std::set<std::string_view> names;
  for (const auto* slice : current) {
    usable = usable && slice->pool_slices == static_cast<std::int64_t>(current.size());
    for (const auto& device : slice->devices) usable = names.insert(device.name).second && usable;
  }

  for (const auto* slice : current) {
    for (const auto& device : slice->devices) {
      const std::string& node = slice->node_name.empty() ? device.node_name : slice->node_name;
      if (node.empty()) {
        pool.anywhere = true;
        continue;
      }
      Share& share = pool.shares[node];
      if (!usable || !device.whole) {
        share.uncounted = true;
        continue;
      }
      ++share.devices;
      if (pool.held.contains(device.name)) ++share.allocated;
    }
  }
}

void Devices::count_again(Pool& pool, std::unordered_set<std::string>& stale) {
  for (const auto& [node, share] : pool.shares) {
    nodes_[node].pools.erase(&pool);
    stale.insert(node);
  }
  share_out(pool);
  for (const auto& [node, share] : pool.shares) {
    nodes_[node].pools.insert(&pool);
    stale.insert(node);
  }
  if (pool.anywhere) {
    anywhere_pools_.insert(&pool);
  } else {
    anywhere_pools_.erase(&pool);
  }
  pool.changed = false;
}

std::shared_ptr<const DeviceRoom> Devices::room_of(const Node& node,
                                                   const std::string& name) const {
  auto room = std::make_shared<DeviceRoom>();
  for (const auto& [resource, class_name, rule] : served_) {
    Share sum;
    for (const Pool* pool : node.pools) {
      if (!rule.driver.empty() && pool->driver != rule.driver) continue;
      const Share& share = pool->shares.at(name);
      sum.uncounted = sum.uncounted || share.uncounted || !rule.complete;
      if (!rule.complete) continue;
      sum.devices += share.devices;
      sum.allocated += share.allocated;
    }
    if (sum.devices > 0 || sum.uncounted) {
      room->offers.push_back({resource, sum.devices, sum.uncounted});
    }
    if (sum.allocated > 0) room->allocated.push_back({resource, sum.allocated});
  }
  return room->offers.empty() ? nullptr : room;
}

std::vector<std::string> Devices::find_anywhere() const {
  std::vector<std::string> resources;
  for (const auto& served : served_) {
    const std::string& driver = served.rule.driver;
    if (std::any_of(anywhere_pools_.begin(), anywhere_pools_.end(),
                    [&](const Pool* pool) { return driver.empty() || pool->driver == driver; })) {
      resources.push_back(served.resource);
    }
  }
  return resources;
}

Devices::Changes Devices::refresh() {
  Changes changes;
  if (changed_pools_.empty() && !classes_changed_) return changes;
  std::unordered_set<std::string> stale;
  for (Pools::value_type* pool : std::exchange(changed_pools_, {})) {
    count_again(pool->second, stale);
    if (pool->second.slices.empty() && pool->second.held.empty()) {
      pools_.erase(pools_.find(pool->first));
    }
  }
  if (std::exchange(classes_changed_, false)) {
    choose_classes();
    for (const auto& [name, node] : nodes_) stale.insert(name);
  }
  for (const auto& name : stale) {
    const auto at = nodes_.find(name);
    auto room = room_of(at->second, name);
    if (!same(room.get(), at->second.room.get())) {
      at->second.room = std::move(room);
      changes.nodes.push_back(name);
    }
    if (at->second.pools.empty()) nodes_.erase(at);
  }
  auto anywhere = find_anywhere();
  changes.anywhere = anywhere != anywhere_;
  anywhere_ = std::move(anywhere);
  return changes;
}

std::shared_ptr<const DeviceRoom> Devices::room(const std::string& node_name) const {
  const auto at = nodes_.find(node_name);
  return at == nodes_.end() ? nullptr : at->second.room;
}

std::vector<std::string> Devices::problems(const model::GpuPolicy& policy) const {
  std::vector<std::string> problems;
  for (const auto& [resource, class_name, rule] : served_) {
    if (rule.complete || !model::is_gpu_resource(policy, resource)) continue;
    std::string problem = "DeviceClass ";
    problem += class_name;
    problem +=
        ": its selectors say more or less than device.driver == 'NAME', so the devices behind ";
    problem += resource;
    problem += " cannot be counted; kube-scheduler alone decides which nodes have them";
    problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace berth::cluster
