/// What berth remembers of its own answers until the cluster shows what became of them.
///
/// kube-scheduler never says which node it chose, and its bindings are seen some milliseconds late:
/// the winner of a prioritize is therefore an *expected placement*, which counts in the scores of
/// the pods that follow. And a pod that comes back without having been bound was refused by
/// something that berth does not see (a volume, a Reserve, a Permit): the node that was named for
/// it steps behind all others for that pod, for a time that doubles with each return. Neither ever
/// changes what filter answers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/mutex.h"
#include "berth/cluster/snapshot.h"

namespace berth::service {

/// What became of an expected placement.
enum class ExpectationEnd : std::uint8_t {
  kRight,     ///< the pod was bound to the node that was named
  kWrong,     ///< it was bound to another one
  kReturned,  ///< the pod was asked about again
  kExpired,   ///< nothing was heard of it in time, or there was no room to remember it
};
inline constexpr std::array kAllExpectationEnds = {ExpectationEnd::kRight, ExpectationEnd::kWrong,
                                                   ExpectationEnd::kReturned,
                                                   ExpectationEnd::kExpired};
[[nodiscard]] std::string_view to_string(ExpectationEnd end);  ///< "right", "wrong", ...

struct PlacementMemoryOptions {
  std::size_t expected = 1024;                       ///< placements that are expected at once
  Duration lifetime = std::chrono::seconds(5);       ///< of an expected placement
  std::size_t pods = 4096;                           ///< whose named nodes are remembered
  Duration first_step = std::chrono::seconds(10);    ///< how long a node steps behind at first
  Duration longest_step = std::chrono::minutes(5);   ///< doubled with each return, up to this
  Duration forget_after = std::chrono::minutes(15);  ///< a pod that is not asked about any more
};

/// Thread-safe. Bounded: what is oldest is forgotten first.
/// Cost: a lock and a few look-ups; grows with the placements that are expected at that moment.
class PlacementMemory {
 public:
  /// Told outside of the lock; thread-safe, fast, does not throw.
  using OnEnd = std::function<void(ExpectationEnd)>;

  PlacementMemory(PlacementMemoryOptions options, OnEnd on_end);

  /// What a prioritize for one pod has to know.
  struct Recollection {
    std::vector<cluster::ExpectedUse> expected;  ///< of other pods
    std::vector<std::string> behind;             ///< nodes that step behind for this pod
  };
  /// A prioritize for this pod begins: if it named a node before, the pod has come back.
  [[nodiscard]] Recollection recall(std::string_view pod_uid, Time now) BERTH_EXCLUDES(mutex_);
  /// It named this node; `uses` is what the pod will hold there.
  void named(std::string_view pod_uid, std::string_view node_name, cluster::Held uses, Time now)
      BERTH_EXCLUDES(mutex_);
  /// The pod was seen on a node. What is expected of it counts until published().
  void bound(std::string_view pod_uid, std::string_view node_name) BERTH_EXCLUDES(mutex_);
  /// A snapshot was published that has every pod that was bound() before.
  void published() BERTH_EXCLUDES(mutex_);

  [[nodiscard]] std::size_t expected() const BERTH_EXCLUDES(mutex_);

 private:
  struct Expectation {
    std::string pod_uid;
    cluster::ExpectedUse use;
    Time since;
    bool bound = false;
  };
  struct Behind {
    std::string node_name;
    Duration step{};
    Time until;
  };
  struct History {
    std::string named;  // the node named last
    Time at;
    std::vector<Behind> behind;
  };
  using Histories = std::unordered_map<std::string, History>;

  void end(std::vector<Expectation>::iterator at, ExpectationEnd how) BERTH_REQUIRES(mutex_);
  [[nodiscard]] std::vector<Expectation>::iterator find(std::string_view pod_uid)
      BERTH_REQUIRES(mutex_);
  void expire(Time now) BERTH_REQUIRES(mutex_);
  void come_back(History& history, Time now) const BERTH_REQUIRES(mutex_);
  void make_room(Time now) BERTH_REQUIRES(mutex_);
  /// Tells what ended, after the lock is released.
  void tell() BERTH_EXCLUDES(mutex_);

  const PlacementMemoryOptions options_;
  const OnEnd on_end_;
  mutable Mutex mutex_;
  std::vector<Expectation> expected_ BERTH_GUARDED_BY(mutex_);  // oldest first
  Histories histories_ BERTH_GUARDED_BY(mutex_);
  std::vector<ExpectationEnd> ended_ BERTH_GUARDED_BY(mutex_);  // not told yet
};

}  // namespace berth::service
