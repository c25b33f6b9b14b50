/// Which nodes can run a pod. Pure functions of their arguments: no I/O, no clock, no locks, no
/// logging, so that every case is a table row in the tests.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/row_set.h"
#include "berth/placement/compiled_pod.h"
#include "berth/placement/refusal.h"

namespace berth::placement {

/// Why one row was refused.
struct Refusal {
  Stage stage = Stage::kResource;
  std::string_view reason;  ///< lives as long as the CompiledPod
  bool resolvable = false;  ///< could evicting pods cure it? false: FailedAndUnresolvableNodes
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// The verdict on every row of a snapshot. Keeps per stage the rows that it refused, so that
/// reasons cost nothing until they are asked for.
class Verdicts {
 public:
  [[nodiscard]] const RowSet& passing() const { return passing_; }
  [[nodiscard]] bool passes(Row row) const { return passing_.contains(row); }
  /// REQUIRES: !passes(row). `pod` is the one given to filter().
  [[nodiscard]] Refusal refusal(Row row, const CompiledPod& pod) const;
  /// The refusal of a name that the snapshot does not know.
  [[nodiscard]] static Refusal unknown_node();

 private:
  friend Verdicts filter(const CompiledPod& pod, Time now);
  struct Refused {
    Stage stage;
    std::uint32_t request;  // index into CompiledPod::requests for kResource
    RowSet rows;
  };
  RowSet passing_;
  std::vector<Refused> refused_;
};

/// Judges every row of the pod's snapshot. Cost: O(rows x requests), vectorised.
[[nodiscard]] Verdicts filter(const CompiledPod& pod, Time now);

}  // namespace berth::placement
