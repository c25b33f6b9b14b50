#include "berth/cluster/name_index.h"

#include <bit>
#include <cassert>

namespace berth::cluster {
namespace {

__extension__ using Wide = unsigned __int128;

// Odd constants with about half of their bits set: digits of sqrt(2), sqrt(3) and sqrt(5).
constexpr std::uint64_t kSeed = 0x6a09e667f3bcc909;
constexpr std::uint64_t kMixWord = 0xbb67ae8584caa73b;
constexpr std::uint64_t kMixEnd = 0x3c6ef372fe94f82b;

// Both halves of the product depend on every bit of both factors.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

// Little-endian on every machine; compilers make one load of it.
std::uint64_t load(const char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return word;
}

}  // namespace

std::uint64_t hash_name(std::string_view name) {
  std::uint64_t state = kSeed ^ name.size();
  std::size_t at = 0;
  for (; at + 8 <= name.size(); at += 8) {
    state = fold(state ^ load(name.data() + at, 8), kMixWord);
  }
  state = fold(state ^ load(name.data() + at, name.size() - at), kMixEnd);
  return fold(state ^ kMixWord, kMixEnd);
}

NameIndex::NameIndex(std::span<const std::string_view> names) {
  std::size_t bytes = 0;
  for (const auto name : names) bytes += name.size();
  bytes_.reserve(bytes);
  offsets_.reserve(names.size() + 1);
  slots_.resize(std::bit_ceil(2 * names.size() + 1));
  const std::size_t mask = slots_.size() - 1;

  offsets_.push_back(0);
  for (std::size_t i = 0; i < names.size(); ++i) {
    bytes_ += names[i];
    offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    const std::uint64_t hash = hash_name(names[i]);
    std::size_t slot = hash & mask;
    while (slots_[slot].row_plus != 0) slot = (slot + 1) & mask;
    slots_[slot] = {static_cast<std::uint32_t>(hash >> 32U), static_cast<std::uint32_t>(i + 1)};
  }
}

std::optional<Row> NameIndex::find(std::string_view name) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint64_t hash = hash_name(name);
  const auto tag = static_cast<std::uint32_t>(hash >> 32U);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot].row_plus != 0; slot = (slot + 1) & mask) {
    if (slots_[slot].tag != tag) continue;
    const Row row{slots_[slot].row_plus - 1};
    if (this->name(row) == name) return row;
  }
  return std::nullopt;
}

std::string_view NameIndex::name(Row row) const {
  assert(row.index < size());
  const std::uint32_t begin = offsets_[row.index];
  return std::string_view(bytes_).substr(begin, offsets_[row.index + 1] - begin);
}

}  // namespace berth::cluster
