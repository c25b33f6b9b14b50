/// The loops over all rows. Everything is a structure of arrays padded to whole 64-row words, so
/// that no loop has a remainder.
///
/// Every function gives the same bits on every machine: each row's arithmetic is its own, in one
/// fixed order, and no multiply is fused with an add (-ffp-contract=off).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace berth::placement::kernel {

/// The room of one resource: `free` has 64 per word, `least_free` the least of each word.
struct Room {
  const std::int64_t* free;
  const std::int64_t* least_free;
};
/// Moves the rows of `remaining` with `free < request` to `refused` (overwritten). `words` is the
/// length of both. Returns whether any row moved. Reads only words where that is in question.
bool split_by_room(const Room& room, std::int64_t request, std::uint64_t* remaining,
                   std::uint64_t* refused, std::size_t words);

/// One resource's part of a mean: how much of it is used after placing the pod.
struct UsedShare {
  const float* held_fraction;
  const float* inverse_allocatable;
  const std::uint64_t* present;  // the rows that have any; on others the resource is left out
  float request;
  float weight;
};
/// values[row] = sum of weight * min(1, held_fraction + request * inverse_allocatable) over the
/// resources that the node has, times the reciprocal of the sum of their weights; 0 if there is
/// none. In [0, 1]. `values` has 64 per word; words without a member of `rows` are left alone.
void mean_used(std::span<const UsedShare> shares, const std::uint64_t* rows, float* values,
               std::size_t words);
/// values[row] = 1 - values[row].
void complement(float* values, std::size_t words);

/// sums[row] += weight for every member of `rows`. `sums` has 64 per word.
void add_weight(const std::uint64_t* rows, std::int32_t weight, std::int32_t* sums,
                std::size_t words);
/// The largest sum of any member of `rows`, at least 0.
std::int32_t largest(const std::int32_t* sums, const std::uint64_t* rows, std::size_t words);

/// What score() adds up for each row.
struct ScoreParts {
  const std::uint64_t* passing;
  const std::uint64_t* tier_high;  // bits 1 and 0 of a tier in 0..3
  const std::uint64_t* tier_low;
  const std::int32_t* affinity_sums;  // null: no affinity
  float affinity_scale;               // 1 / largest sum
  float affinity_share;
  float packing_share;
  float tier_distance;
  float refused;
};
/// Turns packing values in [0, 1] into scores, in place.
void combine(const ScoreParts& parts, float* values, std::size_t words);

}  // namespace berth::placement::kernel
