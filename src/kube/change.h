/// What the reflectors tell the writer.
#pragma once

#include <string>
#include <variant>

#include "berth/cluster/source.h"
#include "berth/model/devices.h"
#include "berth/model/gpu_policy.h"
#include "berth/model/node.h"
#include "berth/model/pod.h"

namespace berth::kube {

struct ListBegins {};
/// Everything that exists was upserted since ListBegins.
struct ListEnds {};
/// The API server does not serve the kind.
struct KindAbsent {};
struct Deleted {
  std::string name;
  std::string uid;
};
using NewPolicy = model::GpuPolicy;

struct Change {
  cluster::Source source = cluster::Source::kNodes;
  std::variant<ListBegins, ListEnds, KindAbsent, Deleted, NewPolicy, model::Node, model::Pod,
               model::DeviceClass, model::ResourceSlice, model::ResourceClaim>
      what;
};

}  // namespace berth::kube
