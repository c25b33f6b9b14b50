#include "test/support/choices.h"

namespace berth::test_support {

std::uint64_t ByteChoices::next() {
  if (bytes_.empty()) return 0;
  const std::uint64_t byte = bytes_.front();
  bytes_ = bytes_.subspan(1);
  return byte;
}

std::uint64_t ByteChoices::below(std::uint64_t count) {
  const std::uint64_t number = count <= 256 ? next() : next() * 256 + next();
  return number % count;
}

}  // namespace berth::test_support
