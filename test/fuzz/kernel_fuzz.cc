// Bytes choose a small cluster and a pod; the fast path must say what its twin says.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "test/support/agreement.h"
#include "test/support/choices.h"
#include "test/support/random_case.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  berth::test_support::ByteChoices choices({data, size});
  const auto random = berth::test_support::random_case(choices, 80, 2);
  const std::string difference = berth::test_support::first_disagreement(random);
  if (!difference.empty()) {
    std::fprintf(stderr, "%s\n", difference.c_str());
    __builtin_trap();
  }
  return 0;
}
