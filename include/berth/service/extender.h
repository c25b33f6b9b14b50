/// The two verbs: bytes of a request in, bytes of an answer out.
#pragma once

#include <memory>
#include <string>

#include "berth/base/clock.h"
#include "berth/base/padded_buffer.h"
#include "berth/base/published.h"
#include "berth/cluster/snapshot.h"
#include "berth/codec/extender_args.h"
#include "berth/placement/policy.h"
#include "berth/service/observer.h"
#include "berth/service/placement_memory.h"

namespace berth::service {

/// HTTP status and a JSON body.
struct Reply {
  int status = 200;
  std::string body;
};

/// Thread-safe: any number of calls at once. Without a memory (null) asking changes nothing; with
/// one, prioritize remembers what it named, see PlacementMemory. Outlives nothing it is given.
/// Every requested name is answered once, at its first place. Whole nodes of a request bring their
/// facts with them, the room on them comes from the newest snapshot's pods.
/// 200 an answer; 400 the body cannot be read; 413 a limit; 503 no snapshot or policy published
/// yet. Throws nothing but std::bad_alloc.
class Extender {
 public:
  Extender(const Published<cluster::Snapshot>& snapshots,
           const Published<placement::Policy>& policy, const Clock& clock, Observer& observer,
           codec::ExtenderLimits limits, PlacementMemory* memory = nullptr);
  ~Extender();

  [[nodiscard]] Reply filter(const PaddedBuffer& body);
  [[nodiscard]] Reply prioritize(const PaddedBuffer& body);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::service
