/// How pods, and what they have in common, are told apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "berth/cluster/picture.h"

namespace berth::cluster {

/// What a pod is known by: its uid, or "namespace/name" if it has none.
[[nodiscard]] std::string identity_of(const model::Pod& pod);

/// A sum of amounts as one amount.
[[nodiscard]] inline std::int64_t saturate(model::Int128 units) {
  return static_cast<std::int64_t>(std::clamp<model::Int128>(units, INT64_MIN, INT64_MAX));
}

/// Of what tells workloads apart in practice; the rest is left to the comparison.
struct PodTraitsHash {
  std::size_t operator()(const PodTraits& traits) const;
};

}  // namespace berth::cluster
