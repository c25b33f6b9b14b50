/// Decoders are expensive to make and cheap to reuse: the few that wait for the next request.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "berth/base/mutex.h"
#include "berth/codec/extender_args.h"

namespace berth::service {

/// Thread-safe. Holds as many decoders as ever worked at once, at most kMaxIdle; a decoder that
/// read a body above kMaxPooledBody is dropped, since its scratch memory grew with it.
class DecoderPool {
 public:
  static constexpr std::size_t kMaxIdle = 16;
  static constexpr std::size_t kMaxPooledBody = std::size_t{4} << 20;

  /// One decoder for one request; goes back to the pool with the lease.
  class Lease {
   public:
    Lease(DecoderPool& pool, std::size_t body_bytes)
        : pool_(pool), body_bytes_(body_bytes), decoder_(pool.take()) {}
    ~Lease() {
      if (body_bytes_ <= kMaxPooledBody) pool_.give_back(std::move(decoder_));
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    [[nodiscard]] codec::ExtenderArgsDecoder& operator*() { return *decoder_; }
    [[nodiscard]] codec::ExtenderArgsDecoder* operator->() { return decoder_.get(); }

   private:
    DecoderPool& pool_;
    std::size_t body_bytes_;
    std::unique_ptr<codec::ExtenderArgsDecoder> decoder_;
  };

  DecoderPool() { idle_.reserve(kMaxIdle); }

 private:
  std::unique_ptr<codec::ExtenderArgsDecoder> take() BERTH_EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      if (!idle_.empty()) {
        auto decoder = std::move(idle_.back());
        idle_.pop_back();
        return decoder;
      }
    }
    return std::make_unique<codec::ExtenderArgsDecoder>();
  }

  // Never allocates (the room was reserved), so that a lease may end while an exception flies.
  void give_back(std::unique_ptr<codec::ExtenderArgsDecoder> decoder) noexcept
      BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (idle_.size() < kMaxIdle) idle_.push_back(std::move(decoder));
  }

  Mutex mutex_;
  std::vector<std::unique_ptr<codec::ExtenderArgsDecoder>> idle_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::service
