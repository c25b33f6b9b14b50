/// An exact Kubernetes quantity, as `cpu: 1500m` or `memory: 24Gi` write it.
///
/// Source of the rules: apimachinery pkg/api/resource (Quantity, Value, MilliValue). Where Go's
/// package wraps around silently, this one saturates.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth::model {

__extension__ using Int128 = __int128;

/// A signed count of nano-units. Saturates at +-(2^63 - 1) whole units; never overflows.
class Quantity {
 public:
  constexpr Quantity() = default;
  [[nodiscard]] static Quantity from_units(std::int64_t units);
  [[nodiscard]] static Quantity from_milli(std::int64_t milli);
  /// Clamped to the range above.
  [[nodiscard]] static Quantity from_nano(Int128 nano);

  /// Whole units, rounded away from zero, saturating (Kubernetes' Value()).
  [[nodiscard]] std::int64_t value() const;
  /// Thousandths, rounded away from zero, saturating at +-(2^63 - 1) (Kubernetes' MilliValue()).
  [[nodiscard]] std::int64_t milli_value() const;
  [[nodiscard]] constexpr Int128 nano() const { return nano_; }
  [[nodiscard]] constexpr bool negative() const { return nano_ < 0; }
  [[nodiscard]] constexpr bool positive() const { return nano_ > 0; }

  Quantity& operator+=(Quantity other);
  friend Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  constexpr explicit Quantity(Int128 nano) : nano_(nano) {}
  Int128 nano_ = 0;
};

/// Reads `<sign>? <number> <suffix>?`. No white space around it: a JSON decoder trims first.
/// Digits beyond a nano-unit round away from zero. Exponents beyond +-30 are refused. As in
/// Kubernetes, a text without digits (`.`, `-`, `m`, `Ki`) is zero.
/// Cost: linear in the digits; allocates only for an error.
/// Error: kInvalidArgument, names the text.
[[nodiscard]] Result<Quantity> parse_quantity(std::string_view text);

/// What is wrong with the quantities of one object, as one text: the first complaint, and how many
/// more there are. REQUIRES: not empty.
[[nodiscard]] std::string summary_of(std::span<const std::string> complaints);

}  // namespace berth::model
