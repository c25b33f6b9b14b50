#include "kernel.h"

#include <array>
#include <bit>
#include <cstring>

// One clone per x86-64 level, chosen when the program is loaded: distribution binaries stay
// portable. clang 14 cannot clone for a level, and sanitizers do not survive the resolvers, which
// run before they are set up. A test defines both macros to build the loops once more, plainly.
#if !defined(BERTH_KERNEL_NAMESPACE)
#define BERTH_KERNEL_NAMESPACE kernel
#endif
#if !defined(BERTH_KERNEL_CLONES)
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BERTH_KERNEL_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BERTH_KERNEL_CLONES
#endif
#endif

namespace berth::placement::BERTH_KERNEL_NAMESPACE {
namespace {

using kernel::Room;
using kernel::ScoreParts;
using kernel::UsedShare;

constexpr std::size_t kBlock = 64;  // rows per word

constexpr std::array<std::uint64_t, kBlock> kBits = [] {
  std::array<std::uint64_t, kBlock> bits{};
  for (std::size_t i = 0; i < kBlock; ++i) bits[i] = std::uint64_t{1} << i;
  return bits;
}();

// 32-bit halves: lanes as wide as the floats that the masks will meet.
inline void expand(std::uint64_t word, std::int32_t* bits) {
  const auto low = static_cast<std::uint32_t>(word);
  const auto high = static_cast<std::uint32_t>(word >> 32U);
  for (std::uint32_t i = 0; i < 32; ++i) bits[i] = static_cast<std::int32_t>((low >> i) & 1U);
  for (std::uint32_t i = 0; i < 32; ++i) bits[32 + i] = static_cast<std::int32_t>((high >> i) & 1U);
}

// Four floats in the compilers' portable vector form: left to itself, g++ 12 makes branches of the
// limits to 1 wherever the target has no masks (AVX2), and then one row at a time.
using Floats = float __attribute__((vector_size(16)));
constexpr std::size_t kLanes = 4;

inline Floats load(const float* at) {
  Floats floats;
  std::memcpy(&floats, at, sizeof floats);
  return floats;
}

inline Floats at_most_one(Floats floats) {
  const Floats ones = {1.0F, 1.0F, 1.0F, 1.0F};
  return floats < ones ? floats : ones;
}

// Sums stay in registers.
template <std::size_t count>
inline void mean_used_everywhere(const UsedShare* shares, std::size_t word, float scale,
                                 float* block) {
  const std::size_t first = word * kBlock;
  for (std::size_t i = 0; i < kBlock; i += kLanes) {
    Floats sum = {0, 0, 0, 0};
    for (std::size_t k = 0; k < count; ++k) {
      const UsedShare& share = shares[k];
      const Floats used = load(share.held_fraction + first + i) +
                          share.request * load(share.inverse_allocatable + first + i);
      sum += share.weight * at_most_one(used);
    }
    const Floats mean = at_most_one(sum * scale);
    std::memcpy(block + i, &mean, sizeof mean);
  }
}

// The general form: every row has a sum of weights of its own.
inline void mean_used_where_some_lack(std::span<const UsedShare> shares, std::size_t word,
                                      float* block) {
  std::array<float, kBlock> sum{};
  std::array<float, kBlock> weight{};
  for (const UsedShare& share : shares) {
    const float* held = share.held_fraction + word * kBlock;
    const float* inverse = share.inverse_allocatable + word * kBlock;
    for (std::size_t i = 0; i < kBlock; ++i) {
      const float used = held[i] + share.request * inverse[i];  // 0 where there is none
      sum[i] += share.weight * (used < 1.0F ? used : 1.0F);
      weight[i] += inverse[i] > 0 ? share.weight : 0.0F;
    }
  }
  for (std::size_t i = 0; i < kBlock; ++i) {
    const float mean = sum[i] * (1.0F / (weight[i] > 0 ? weight[i] : 1.0F));
    block[i] = mean < 1.0F ? mean : 1.0F;
  }
}

}  // namespace

BERTH_KERNEL_CLONES
bool split_by_room(const Room& room, std::int64_t request, std::uint64_t* remaining,
                   std::uint64_t* refused, std::size_t words) {
  std::uint64_t any = 0;
  for (std::size_t w = 0; w < words; ++w) {
    if (remaining[w] == 0 || room.least_free[w] >= request) {
      refused[w] = 0;
      continue;
    }
    const std::int64_t* block = room.free + w * kBlock;
    std::uint64_t fits = 0;
    // An OR of selected bits is a reduction, which g++ 12 vectorises; shifting a bool is not.
    for (std::size_t i = 0; i < kBlock; ++i) fits |= block[i] >= request ? kBits[i] : 0;
    refused[w] = remaining[w] & ~fits;
    remaining[w] &= fits;
    any |= refused[w];
  }
  return any != 0;
}

BERTH_KERNEL_CLONES
void mean_used(std::span<const UsedShare> shares, const std::uint64_t* rows, float* values,
               std::size_t words) {
  float total = 0;
  for (const UsedShare& share : shares) total += share.weight;
  const float scale = 1.0F / (total > 0 ? total : 1.0F);

  for (std::size_t w = 0; w < words; ++w) {
    if (rows[w] == 0) continue;
    float* block = values + w * kBlock;
    std::uint64_t everywhere = ~std::uint64_t{0};
    for (const UsedShare& share : shares) everywhere &= share.present[w];
    const bool all_have_all = everywhere == ~std::uint64_t{0};  // nearly always
    if (all_have_all && shares.size() == 3) {                   // a GPU resource, cpu and memory
      mean_used_everywhere<3>(shares.data(), w, scale, block);
    } else if (all_have_all && shares.size() == 2) {
      mean_used_everywhere<2>(shares.data(), w, scale, block);
    } else {
      mean_used_where_some_lack(shares, w, block);
    }
  }
}

BERTH_KERNEL_CLONES
void complement(float* values, std::size_t words) {
  for (std::size_t i = 0; i < words * kBlock; ++i) values[i] = 1.0F - values[i];
}

BERTH_KERNEL_CLONES
void add_weight(const std::uint64_t* rows, std::int32_t weight, std::int32_t* sums,
                std::size_t words) {
  for (std::size_t w = 0; w < words; ++w) {
    if (rows[w] == 0) continue;
    std::array<std::int32_t, kBlock> member;
    expand(rows[w], member.data());
    std::int32_t* block = sums + w * kBlock;
    for (std::size_t i = 0; i < kBlock; ++i) block[i] += member[i] * weight;
  }
}

BERTH_KERNEL_CLONES
std::int32_t largest(const std::int32_t* sums, const std::uint64_t* rows, std::size_t words) {
  std::int32_t best = 0;
  for (std::size_t w = 0; w < words; ++w) {
    if (rows[w] == 0) continue;
    std::array<std::int32_t, kBlock> member;
    expand(rows[w], member.data());
    const std::int32_t* block = sums + w * kBlock;
    for (std::size_t i = 0; i < kBlock; ++i) {
      const std::int32_t value = block[i] * member[i];
      best = value > best ? value : best;
    }
  }
  return best;
}

BERTH_KERNEL_CLONES
void combine(const ScoreParts& parts, float* values, std::size_t words) {
  const auto refused = std::bit_cast<std::int32_t>(parts.refused);
  for (std::size_t w = 0; w < words; ++w) {
    float* block = values + w * kBlock;
    if (parts.passing[w] == 0) {
      for (std::size_t i = 0; i < kBlock; ++i) block[i] = parts.refused;
      continue;
    }
    std::array<std::int32_t, kBlock> passing;
    std::array<std::int32_t, kBlock> high;
    std::array<std::int32_t, kBlock> low;
    expand(parts.passing[w], passing.data());
    expand(parts.tier_high[w], high.data());
    expand(parts.tier_low[w], low.data());

    std::array<float, kBlock> score;
    for (std::size_t i = 0; i < kBlock; ++i) score[i] = parts.packing_share * block[i];
    if (parts.affinity_sums != nullptr) {
      const std::int32_t* sums = parts.affinity_sums + w * kBlock;
      for (std::size_t i = 0; i < kBlock; ++i) {
        const float affinity = static_cast<float>(sums[i]) * parts.affinity_scale;
        score[i] += parts.affinity_share * (affinity < 1.0F ? affinity : 1.0F);
      }
    }
    for (std::size_t i = 0; i < kBlock; ++i) {
      score[i] += parts.tier_distance * static_cast<float>(2 * high[i] + low[i]);
    }
    // Blended as integers: of `passes ? score : refused` g++ 12 makes branches.
    for (std::size_t i = 0; i < kBlock; ++i) {
      const std::int32_t mask = -passing[i];
      block[i] =
          std::bit_cast<float>((std::bit_cast<std::int32_t>(score[i]) & mask) | (refused & ~mask));
    }
  }
}

}  // namespace berth::placement::BERTH_KERNEL_NAMESPACE
