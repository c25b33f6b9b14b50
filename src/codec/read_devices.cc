#include "berth/model/time.h"
#include "read_objects.h"

namespace berth::codec {
namespace {

using Key = std::string_view;

/// What the metadata of all three kinds has.
struct Identity {
  std::string& name;
  std::string& uid;
  std::string& version;
};

void read_identity(ObjectReader& reader, const Path& path, const Value& value, Identity identity) {
  constexpr std::array<Key, 3> kKeys = {"name", "uid", "resourceVersion"};
  const auto [name, uid, version] = reader.members(path, value, kKeys);
  reader.read(path.member("name"), name, identity.name);
  reader.read(path.member("uid"), uid, identity.uid);
  reader.read(path.member("resourceVersion"), version, identity.version);
}

std::optional<Time> read_creation_time(ObjectReader& reader, const Path& path, const Value& value) {
  constexpr std::array<Key, 1> kKeys = {"creationTimestamp"};
  const auto [created] = reader.members(path, value, kKeys);
  std::string text;
  reader.read(path.member("creationTimestamp"), created, text);
  const auto time = model::parse_rfc3339(text);
  return time ? std::optional<Time>(*time) : std::nullopt;
}

/// A selector without an expression stays an empty text: it is of a kind yet unknown.
std::string read_selector(ObjectReader& reader, const Path& path, const Value& value) {
  constexpr std::array<Key, 1> kSelectorKeys = {"cel"};
  constexpr std::array<Key, 1> kCelKeys = {"expression"};
  const auto [cel] = reader.members(path, value, kSelectorKeys);
  const Path path_of_cel = path.member("cel");
  const auto [expression] = reader.members(path_of_cel, cel, kCelKeys);
  std::string text;
  reader.read(path_of_cel.member("expression"), expression, text);
  return text;
}

void read_pool(ObjectReader& reader, const Path& path, const Value& value,
               model::ResourceSlice& slice) {
  constexpr std::array<Key, 3> kKeys = {"name", "generation", "resourceSliceCount"};
  const auto [name, generation, slices] = reader.members(path, value, kKeys);
  reader.read(path.member("name"), name, slice.pool);
  reader.read(path.member("generation"), generation, slice.pool_generation);
  reader.read(path.member("resourceSliceCount"), slices, slice.pool_slices);
}

void read_device(ObjectReader& reader, const Path& path, const Value& value,
                 model::Device& device) {
  constexpr std::array<Key, 4> kKeys = {"name", "nodeName", "consumesCounters",
                                        "allowMultipleAllocations"};
  const auto [name, node, counters, multiple] = reader.members(path, value, kKeys);
  reader.read(path.member("name"), name, device.name);
  reader.read(path.member("nodeName"), node, device.node_name);
  bool shared = false;
  reader.read(path.member("allowMultipleAllocations"), multiple, shared);
  reader.each(path.member("consumesCounters"), counters,
              [&](const Path&, const Value&) { shared = true; });
  device.whole = !shared;
}

void read_result(ObjectReader& reader, const Path& path, const Value& value,
                 model::ResourceClaim& claim) {
  constexpr std::array<Key, 4> kKeys = {"driver", "pool", "device", "adminAccess"};
  const auto [driver, pool, device, admin] = reader.members(path, value, kKeys);
  bool admin_access = false;
  model::DeviceId id;
  reader.read(path.member("driver"), driver, id.driver);
  reader.read(path.member("pool"), pool, id.pool);
  reader.read(path.member("device"), device, id.device);
  reader.read(path.member("adminAccess"), admin, admin_access);
  if (!admin_access) claim.allocated.push_back(std::move(id));
}

void read_claim_status(ObjectReader& reader, const Path& path, const Value& value,
                       model::ResourceClaim& claim) {
  constexpr std::array<Key, 1> kStatusKeys = {"allocation"};
  constexpr std::array<Key, 1> kAllocationKeys = {"devices"};
  constexpr std::array<Key, 1> kDevicesKeys = {"results"};
  const auto [allocation] = reader.members(path, value, kStatusKeys);
  const Path path_of_allocation = path.member("allocation");
  const auto [devices] = reader.members(path_of_allocation, allocation, kAllocationKeys);
  const Path path_of_devices = path_of_allocation.member("devices");
  const auto [results] = reader.members(path_of_devices, devices, kDevicesKeys);
  reader.each(path_of_devices.member("results"), results,
              [&](const Path& at, const Value& result) { read_result(reader, at, result, claim); });
}

}  // namespace

void read_device_class(ObjectReader& reader, const Value& object,
                       model::DeviceClass& device_class) {
  constexpr std::array<Key, 2> kKeys = {"metadata", "spec"};
  constexpr std::array<Key, 2> kSpecKeys = {"extendedResourceName", "selectors"};
  const Path root;
  const auto [metadata, spec] = reader.members(root, object, kKeys);
  const Path path_of_metadata = root.member("metadata");
  read_identity(reader, path_of_metadata, metadata,
                {device_class.name, device_class.uid, device_class.resource_version});
  device_class.creation_time = read_creation_time(reader, path_of_metadata, metadata);
  const Path path = root.member("spec");
  const auto [resource, selectors] = reader.members(path, spec, kSpecKeys);
  reader.read(path.member("extendedResourceName"), resource, device_class.extended_resource_name);
  reader.each(path.member("selectors"), selectors, [&](const Path& at, const Value& selector) {
    device_class.selectors.push_back(read_selector(reader, at, selector));
  });
}

void read_resource_slice(ObjectReader& reader, const Value& object, model::ResourceSlice& slice) {
  constexpr std::array<Key, 2> kKeys = {"metadata", "spec"};
  constexpr std::array<Key, 4> kSpecKeys = {"driver", "pool", "nodeName", "devices"};
  const Path root;
  const auto [metadata, spec] = reader.members(root, object, kKeys);
  read_identity(reader, root.member("metadata"), metadata,
                {slice.name, slice.uid, slice.resource_version});
  const Path path = root.member("spec");
  const auto [driver, pool, node, devices] = reader.members(path, spec, kSpecKeys);
  reader.read(path.member("driver"), driver, slice.driver);
  read_pool(reader, path.member("pool"), pool, slice);
  reader.read(path.member("nodeName"), node, slice.node_name);
  reader.each(path.member("devices"), devices, [&](const Path& at, const Value& device) {
    read_device(reader, at, device, slice.devices.emplace_back());
  });
}

void read_resource_claim(ObjectReader& reader, const Value& object, model::ResourceClaim& claim) {
  constexpr std::array<Key, 2> kKeys = {"metadata", "status"};
  constexpr std::array<Key, 1> kNamespace = {"namespace"};
  const Path root;
  const auto [metadata, status] = reader.members(root, object, kKeys);
  const Path path_of_metadata = root.member("metadata");
  read_identity(reader, path_of_metadata, metadata,
                {claim.name, claim.uid, claim.resource_version});
  const auto [space] = reader.members(path_of_metadata, metadata, kNamespace);
  reader.read(path_of_metadata.member("namespace"), space, claim.namespace_name);
  read_claim_status(reader, root.member("status"), status, claim);
}

}  // namespace berth::codec
