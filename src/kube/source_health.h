/// How it stands with one source, told by its reflector and the writer, read by anyone.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "berth/base/mutex.h"
#include "berth/cluster/source.h"

namespace berth::kube {

/// Thread-safe.
class SourceHealth {
 public:
  using Steady = std::chrono::steady_clock;
  explicit SourceHealth(cluster::Source source) : source_(source), last_sign_(Steady::now()) {}

  [[nodiscard]] cluster::Source source() const { return source_; }

  void sign_of_life() BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    last_sign_ = Steady::now();
    trouble_.clear();
  }
  void synced(bool absent) BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    synced_ = true;
    absent_ = absent;
  }
  void trouble(std::string_view what) BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    trouble_ = what;
  }
  [[nodiscard]] cluster::SourceStatus status() const BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return {source_, synced_, absent_, Steady::now() - last_sign_, trouble_};
  }

 private:
  const cluster::Source source_;
  mutable Mutex mutex_;
  Steady::time_point last_sign_ BERTH_GUARDED_BY(mutex_);
  bool synced_ BERTH_GUARDED_BY(mutex_) = false;
  bool absent_ BERTH_GUARDED_BY(mutex_) = false;
  std::string trouble_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::kube
