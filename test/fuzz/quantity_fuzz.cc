// Any text: parse_quantity never crashes, and what it reads obeys the arithmetic of quantities.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "berth/model/quantity.h"

namespace {

using berth::model::Int128;
using berth::model::parse_quantity;
using berth::model::Quantity;

constexpr std::int64_t kMax = INT64_MAX;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

/// `rounded` is the least whole number of `unit` whose magnitude reaches that of `nano`, or the
/// largest there is.
void require_rounded(std::int64_t rounded, Int128 nano, Int128 unit) {
  const Int128 size = nano < 0 ? -nano : nano;
  const Int128 got = rounded < 0 ? -Int128{rounded} : Int128{rounded};
  require((rounded < 0) == (nano < 0));
  require(got <= kMax);
  require((got - 1) * unit < size || size == 0);
  require(got * unit >= size || got == kMax);
}

void check_one(Quantity quantity) {
  constexpr Int128 unit = 1'000'000'000;
  const Int128 nano = quantity.nano();
  require(nano <= Int128{kMax} * unit && nano >= -Int128{kMax} * unit);
  require_rounded(quantity.value(), nano, unit);
  require_rounded(quantity.milli_value(), nano, 1'000'000);
  require(quantity.negative() == (nano < 0) && quantity.positive() == (nano > 0));
  require(Quantity::from_nano(nano) == quantity);
  require(quantity + Quantity() == quantity);
  require(Quantity::from_nano(-nano) + quantity == Quantity());
}

void check_two(Quantity a, Quantity b) {
  require(a + b == b + a);
  if (!b.negative()) require(a + b >= a);
  if (!b.positive()) require(a + b <= a);
}

/// The same quantity with its sign turned, by way of the text.
void check_sign(std::string_view text, Quantity quantity) {
  const bool is_signed = !text.empty() && (text.front() == '-' || text.front() == '+');
  const bool negative = !text.empty() && text.front() == '-';
  const std::string turned =
      (negative ? "+" : "-") + std::string(is_signed ? text.substr(1) : text);
  const auto other = parse_quantity(turned);
  require(other.has_value() && other->nano() == -quantity.nano());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto cut = text.find('\n');  // a second quantity, to be added, follows a line break
  const auto first = parse_quantity(text.substr(0, cut));
  if (!first) {
    require(first.error().code == berth::ErrorCode::kInvalidArgument);
    require(first.error().message.size() < 200);
    return 0;
  }
  check_one(*first);
  check_sign(text.substr(0, cut), *first);
  if (cut == std::string_view::npos) return 0;
  if (const auto second = parse_quantity(text.substr(cut + 1))) check_two(*first, *second);
  return 0;
}
