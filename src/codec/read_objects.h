/// Which members of the objects are read, and what becomes of them.
#pragma once

#include "berth/model/devices.h"
#include "berth/model/node.h"
#include "berth/model/pod.h"
#include "object_reader.h"

namespace berth::codec {

void read_pod(ObjectReader& reader, const Value& object, model::Pod& pod);
void read_node(ObjectReader& reader, const Value& object, model::Node& node);
void read_device_class(ObjectReader& reader, const Value& object, model::DeviceClass& device_class);
void read_resource_slice(ObjectReader& reader, const Value& object, model::ResourceSlice& slice);
void read_resource_claim(ObjectReader& reader, const Value& object, model::ResourceClaim& claim);

}  // namespace berth::codec
