/// What DRA has on a node, once more, slowly and obviously: from all objects, for one node and one
/// resource at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/model/devices.h"

namespace berth::test_support {

struct NaiveDevices {
  std::int64_t devices = 0;    ///< that can be counted
  std::int64_t allocated = 0;  ///< of those
  bool uncounted = false;      ///< there may be more on this node
  bool anywhere = false;       ///< there may be some that are not bound to one node
};
/// REQUIRES: no two objects of a kind with one name.
[[nodiscard]] NaiveDevices naive_devices(const model::DeviceObjects& objects,
                                         const std::string& node, const std::string& resource);

/// Every resource that a class may serve, in name order.
[[nodiscard]] std::vector<std::string> device_resources(const model::DeviceObjects& objects);

}  // namespace berth::test_support
