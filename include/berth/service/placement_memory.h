/// What berth remembers of its own answers until the cluster shows what became of them.
///
/// kube-scheduler never says which node it chose, and its bindings are seen some milliseconds late:
/// the winner of a prioritize is therefore held as an *expected placement* for the scores of the
/// pods that follow. And a pod that comes back without having been bound was refused by something
/// that berth does not see (a volume, a Reserve, a Permit): the node that was named steps behind
/// the others for that pod. Neither ever changes what filter answers.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
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
  kReturned,  ///< the pod was asked about again, unbound
  kExpired,   ///< nothing was heard of it in time
  kEvicted,   ///< there was no room to remember it
};
inline constexpr std::array kAllExpectationEnds = {
    ExpectationEnd::kRight, ExpectationEnd::kWrong, ExpectationEnd::kReturned,
    ExpectationEnd::kExpired, ExpectationEnd::kEvicted};
[[nodiscard]] std::string_view to_string(ExpectationEnd end);  ///< "right", "wrong", ...

/// Thread-safe. Bounded: the oldest pods are forgotten first.
/// Cost: a lock and a hash look-up; expected() in addition a copy of what is expected.
class PlacementMemory {
 public:
  struct Options {
    std::size_t capacity = 4096;                       ///< pods
    Duration lifetime = std::chrono::seconds(5);       ///< of an expected placement
    Duration first_step = std::chrono::seconds(10);    ///< how long a node steps behind at first
    Duration longest_step = std::chrono::minutes(5);   ///< doubled with each return, up to this
    Duration forget_after = std::chrono::minutes(15);  ///< a pod that is not asked about any more
  };
  /// Told outside of any lock; thread-safe, fast, does not throw.
  using OnEnd = std::function<void(ExpectationEnd)>;

  PlacementMemory(Options options, OnEnd on_end);

  /// A prioritize for this pod begins. If it named a node before and was not bound since, that node
  /// steps behind. Returns the nodes that stand behind at `now`.
  [[nodiscard]] std::vector<std::string> begin(std::string_view pod_uid, Time now)
      BERTH_EXCLUDES(mutex_);
  /// The prioritize named this node; `uses` is what the pod will hold there.
  void named(std::string_view pod_uid, std::string_view node_name, cluster::Held uses, Time now)
      BERTH_EXCLUDES(mutex_);
  /// The pod was seen on a node. Its expected placement still counts until published().
  void bound(std::string_view pod_uid, std::string_view node_name) BERTH_EXCLUDES(mutex_);
  /// A snapshot was published that has every pod that was bound() before.
  void published() BERTH_EXCLUDES(mutex_);

  /// What is expected at `now` beside the pod itself.
  [[nodiscard]] std::vector<cluster::ExpectedUse> expected(std::string_view pod_uid, Time now)
      BERTH_EXCLUDES(mutex_);

  [[nodiscard]] std::size_t size() const BERTH_EXCLUDES(mutex_);

 private:
  struct Behind {
    std::string node;
    int returns = 0;
    Time until;
  };
  struct Memory {
    std::string node;  // named last; empty: nothing is expected
    cluster::Held uses;
    Time named_at;
    bool bound = false;
    std::vector<Behind> behind;
  };
  using Memories = std::unordered_map<std::string, Memory>;
  struct Turn {
    Time at;
    std::string uid;
  };

  void forget_old(Time now, std::vector<ExpectationEnd>& ends) BERTH_REQUIRES(mutex_);
  void step_behind(Memory& memory, Time now) BERTH_REQUIRES(mutex_);
  void tell(const std::vector<ExpectationEnd>& ends) const;

  const Options options_;
  const OnEnd on_end_;
  mutable Mutex mutex_;
  Memories memories_ BERTH_GUARDED_BY(mutex_);
  std::vector<std::string> bound_ BERTH_GUARDED_BY(mutex_);  // since the last published()
};

}  // namespace berth::service
