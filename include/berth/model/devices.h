/// GPUs and other devices that come from dynamic resource allocation (DRA), as far as placing pods
/// depends on them: which device classes stand for an extended resource, which devices there are,
/// and which of them are allocated.
///
/// Source: resource.k8s.io/v1; kube-scheduler's plugin DynamicResources and its allocator (1.37).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"

namespace berth::model {

/// Every class stands for the extended resource of this prefix and its own name.
inline constexpr std::string_view kImplicitResourcePrefix = "deviceclass.resource.kubernetes.io/";

struct DeviceClass {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::optional<Time> creation_time;
  std::string extended_resource_name;  ///< spec.extendedResourceName; empty: only the implicit one
  /// CEL expressions, all of which a device must satisfy; empty text for a selector that is none.
  std::vector<std::string> selectors;
};

struct Device {
  std::string name;
  std::string node_name;  ///< of a slice that selects nodes per device; empty: not one node
  /// Whether it is a whole device for one claim: it shares no counters with other devices of its
  /// pool (partitions of one card do) and does not allow several allocations.
  bool whole = true;
};

struct ResourceSlice {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string driver;
  std::string pool;
  std::int64_t pool_generation = 0;
  std::int64_t pool_slices = 0;  ///< spec.pool.resourceSliceCount
  std::string node_name;         ///< empty: all nodes, a selector, or per device
  std::vector<Device> devices;
};

/// What a claim's allocation names.
struct DeviceId {
  std::string driver;
  std::string pool;
  std::string device;
  friend auto operator<=>(const DeviceId&, const DeviceId&) = default;
};

struct ResourceClaim {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string resource_version;
  /// Without those of admin access, which take nothing from anybody. Empty: not allocated.
  std::vector<DeviceId> allocated;
};

/// All objects of DRA in one cluster.
struct DeviceObjects {
  std::vector<DeviceClass> classes;
  std::vector<ResourceSlice> slices;
  std::vector<ResourceClaim> claims;
};

/// Which devices a class takes, as far as berth understands its selectors.
struct DriverRule {
  std::string driver;     ///< devices of any other are out; empty: not known
  bool complete = false;  ///< every device of the driver is in
  friend bool operator==(const DriverRule&, const DriverRule&) = default;
};

/// Complete when every selector says `device.driver == 'NAME'` of one and the same driver and
/// nothing else, with either quote and any white space. A selector that demands this and more, by
/// `&&`, still names the driver. Everything else: not known.
[[nodiscard]] DriverRule driver_rule(const DeviceClass& device_class);

/// What a node offers of one resource by DRA. It counts where nothing of the resource is
/// allocatable: there kube-scheduler looks for devices instead. Source: noderesources/fit.go,
/// shouldDelegateResourceToDRA.
struct DeviceOffer {
  std::string resource;
  std::int64_t devices = 0;  ///< those that can be counted
  bool uncounted = false;    ///< there may be more
  friend bool operator==(const DeviceOffer&, const DeviceOffer&) = default;
};
using DeviceOffers = std::vector<DeviceOffer>;  ///< in name order, no resource twice

}  // namespace berth::model
