#include "test/support/naive_devices.h"

#include <set>

namespace berth::test_support {
namespace {

const std::string kPrefix = "deviceclass.resource.kubernetes.io/";

const model::DeviceClass* class_of(const model::DeviceObjects& objects,
                                   const std::string& resource) {
  const model::DeviceClass* found = nullptr;
  for (const auto& each : objects.classes) {
    if (resource == kPrefix + each.name) return &each;
    if (each.extended_resource_name != resource) continue;
    const bool better = found == nullptr || each.creation_time > found->creation_time ||
                        (each.creation_time == found->creation_time && each.name < found->name);
    if (better) found = &each;
  }
  return found;
}

bool same_pool(const model::ResourceSlice& a, const model::ResourceSlice& b) {
  return a.driver == b.driver && a.pool == b.pool;
}

bool outdated(const model::DeviceObjects& objects, const model::ResourceSlice& slice) {
  for (const auto& other : objects.slices) {
    if (same_pool(slice, other) && other.pool_generation > slice.pool_generation) return true;
  }
  return false;
}

/// REQUIRES: `slice` is not outdated.
bool pool_usable(const model::DeviceObjects& objects, const model::ResourceSlice& slice) {
  std::multiset<std::string> names;
  std::vector<std::int64_t> wanted;
  for (const auto& other : objects.slices) {
    if (!same_pool(slice, other) || other.pool_generation != slice.pool_generation) continue;
    wanted.push_back(other.pool_slices);
    for (const auto& device : other.devices) names.insert(device.name);
  }
  for (const auto count : wanted) {
    if (count != static_cast<std::int64_t>(wanted.size())) return false;
  }
  for (const auto& name : names) {
    if (names.count(name) > 1) return false;
  }
  return true;
}

bool is_allocated(const model::DeviceObjects& objects, const model::DeviceId& id) {
  for (const auto& claim : objects.claims) {
    for (const auto& each : claim.allocated) {
      if (each == id) return true;
    }
  }
  return false;
}

}  // namespace

NaiveDevices naive_devices(const model::DeviceObjects& objects, const std::string& node,
                           const std::string& resource) {
  NaiveDevices result;
  const model::DeviceClass* device_class = class_of(objects, resource);
  if (device_class == nullptr) return result;
  const model::DriverRule rule = model::driver_rule(*device_class);
  for (const auto& slice : objects.slices) {
    if (!rule.driver.empty() && rule.driver != slice.driver) continue;
    if (outdated(objects, slice)) continue;
    for (const auto& device : slice.devices) {
      const std::string& where = slice.node_name.empty() ? device.node_name : slice.node_name;
      if (where.empty()) {
        result.anywhere = true;
      } else if (where != node) {
        continue;
      } else if (!rule.complete || !device.whole || !pool_usable(objects, slice)) {
        result.uncounted = true;
      } else {
        ++result.devices;
        if (is_allocated(objects, {slice.driver, slice.pool, device.name})) ++result.allocated;
      }
    }
  }
  return result;
}

std::vector<std::string> device_resources(const model::DeviceObjects& objects) {
  std::set<std::string> resources;
  for (const auto& each : objects.classes) {
    resources.insert(kPrefix + each.name);
    if (!each.extended_resource_name.empty()) resources.insert(each.extended_resource_name);
  }
  return {resources.begin(), resources.end()};
}

}  // namespace berth::test_support
