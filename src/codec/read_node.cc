#include "berth/model/time.h"
#include "read_objects.h"

namespace berth::codec {
namespace {

using Key = std::string_view;

void read_metadata(ObjectReader& reader, const Path& path, const Value& value, model::Node& node) {
  constexpr std::array<Key, 5> kKeys = {"name", "uid", "resourceVersion", "creationTimestamp",
                                        "labels"};
  const auto [name, uid, version, created, labels] = reader.members(path, value, kKeys);
  reader.read(path.member("name"), name, node.name);
  reader.read(path.member("uid"), uid, node.uid);
  reader.read(path.member("resourceVersion"), version, node.resource_version);
  reader.read(path.member("labels"), labels, node.labels);
  std::string text;
  reader.read(path.member("creationTimestamp"), created, text);
  if (const auto time = model::parse_rfc3339(text)) node.creation_time = *time;
}

void read_taint(ObjectReader& reader, const Path& path, const Value& value, model::Taint& taint) {
  constexpr std::array<Key, 3> kKeys = {"key", "value", "effect"};
  const auto [key, text, effect] = reader.members(path, value, kKeys);
  std::string effect_name;
  reader.read(path.member("key"), key, taint.key);
  reader.read(path.member("value"), text, taint.value);
  reader.read(path.member("effect"), effect, effect_name);
  taint.effect = model::parse_taint_effect(effect_name);
}

void read_spec(ObjectReader& reader, const Path& path, const Value& value, model::Node& node) {
  constexpr std::array<Key, 2> kKeys = {"unschedulable", "taints"};
  const auto [unschedulable, taints] = reader.members(path, value, kKeys);
  reader.read(path.member("unschedulable"), unschedulable, node.unschedulable);
  reader.each(path.member("taints"), taints, [&](const Path& at, const Value& taint) {
    read_taint(reader, at, taint, node.taints.emplace_back());
  });
}

void read_status(ObjectReader& reader, const Path& path, const Value& value, model::Node& node) {
  constexpr std::array<Key, 2> kKeys = {"capacity", "allocatable"};
  constexpr auto kZero = ObjectReader::BadQuantity::kZero;
  const auto [capacity, allocatable] = reader.members(path, value, kKeys);
  reader.read(path.member("capacity"), capacity, kZero, node.capacity, node.invalid_quantities);
  reader.read(path.member("allocatable"), allocatable, kZero, node.allocatable,
              node.invalid_quantities);
}

}  // namespace

void read_node(ObjectReader& reader, const Value& object, model::Node& node) {
  constexpr std::array<Key, 3> kKeys = {"metadata", "spec", "status"};
  const Path root;
  const auto [metadata, spec, status] = reader.members(root, object, kKeys);
  read_metadata(reader, root.member("metadata"), metadata, node);
  read_spec(reader, root.member("spec"), spec, node);
  read_status(reader, root.member("status"), status, node);
}

}  // namespace berth::codec
