/// Asks placement and its twin about the same pods.
#pragma once

#include <cstdint>
#include <string>

#include "test/support/random_case.h"

namespace berth::test_support {

/// Every verdict, reason, score and answer for every incoming pod. Empty when both agree, else the
/// first difference in words.
[[nodiscard]] std::string first_disagreement(const RandomCase& random);

}  // namespace berth::test_support
