/// Whole numbers of one unit. Units do not mix: MilliCpu + Bytes does not compile.
#pragma once

#include <compare>
#include <cstdint>

#include "berth/model/quantity.h"

namespace berth::model {

/// A signed 64-bit count of `Unit`; arithmetic saturates at the ends of int64.
template <typename Unit>
class Amount {
 public:
  constexpr Amount() = default;
  constexpr explicit Amount(std::int64_t count) : count_(count) {}
  [[nodiscard]] constexpr std::int64_t count() const { return count_; }

  constexpr Amount& operator+=(Amount other) {
    if (__builtin_add_overflow(count_, other.count_, &count_)) {
      count_ = other.count_ > 0 ? INT64_MAX : INT64_MIN;
    }
    return *this;
  }
  constexpr Amount& operator-=(Amount other) {
    if (__builtin_sub_overflow(count_, other.count_, &count_)) {
      count_ = other.count_ < 0 ? INT64_MAX : INT64_MIN;
    }
    return *this;
  }
  friend constexpr Amount operator+(Amount a, Amount b) { return a += b; }
  friend constexpr Amount operator-(Amount a, Amount b) { return a -= b; }
  friend constexpr auto operator<=>(Amount, Amount) = default;

 private:
  std::int64_t count_ = 0;
};

using MilliCpu = Amount<struct MilliCpuUnit>;
using Bytes = Amount<struct BytesUnit>;
using GpuCount = Amount<struct GpuCountUnit>;

/// An amount of one named resource in that resource's own unit: thousandths for cpu, whole units
/// (bytes, devices, pods) for every other. Which resource it belongs to is the holder's knowledge.
using ResourceUnits = Amount<struct ResourceUnitsUnit>;

}  // namespace berth::model
