/// Which members of a pod and a node are read, and what becomes of them.
#pragma once

#include "berth/model/node.h"
#include "berth/model/pod.h"
#include "object_reader.h"

namespace berth::codec {

void read_pod(ObjectReader& reader, const Value& object, model::Pod& pod);
void read_node(ObjectReader& reader, const Value& object, model::Node& node);

}  // namespace berth::codec
