/// A node, as far as placing pods on it depends on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/labels.h"
#include "berth/model/resources.h"
#include "berth/model/taint.h"

namespace berth::model {

struct Node {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::optional<Time> creation_time;
  Labels labels;
  std::vector<Taint> taints;
  bool unschedulable = false;  ///< spec.unschedulable: cordoned
  ResourceList capacity;
  ResourceList allocatable;

  /// Quantities that could not be read or are negative, each naming its field and value; they
  /// count as zero in the lists above.
  std::vector<std::string> invalid_quantities;
};

}  // namespace berth::model
