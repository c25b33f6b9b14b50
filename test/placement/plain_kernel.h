/// The kernel's loops built for the oldest processor, without clones and without -O3.
#pragma once

#include <span>

#include "kernel.h"

namespace berth::placement {

void plain_mean_used(std::span<const kernel::UsedShare> shares, const std::uint64_t* rows,
                     float* values, std::size_t words);
void plain_combine(const kernel::ScoreParts& parts, float* values, std::size_t words);

}  // namespace berth::placement
