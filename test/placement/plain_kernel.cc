#include "test/placement/plain_kernel.h"

// The same source under another name: its symbols must not meet those of the library.
#define BERTH_KERNEL_CLONES
#define BERTH_KERNEL_NAMESPACE plain_kernel
#include "kernel.cc"  // NOLINT(bugprone-suspicious-include)

namespace berth::placement {

void plain_mean_used(std::span<const kernel::UsedShare> shares, const std::uint64_t* rows,
                     float* values, std::size_t words) {
  plain_kernel::mean_used(shares, rows, values, words);
}
void plain_combine(const kernel::ScoreParts& parts, float* values, std::size_t words) {
  plain_kernel::combine(parts, values, words);
}

}  // namespace berth::placement
