/// What is held, by node name: shared between snapshots as far as it is the same.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "berth/cluster/name_index.h"
#include "berth/cluster/snapshot.h"

namespace berth::cluster {

/// A vector of shared values whose copies share what is not changed in them: a copy costs a
/// reference per kChunk entries.
template <typename T>
class SharedRows {
 public:
  static constexpr std::size_t kChunk = 64;

  /// Null: nothing there.
  [[nodiscard]] const T* at(std::size_t index) const {
    const std::size_t chunk = index / kChunk;
    if (chunk >= chunks_.size() || chunks_[chunk] == nullptr) return nullptr;
    return (*chunks_[chunk])[index % kChunk].get();
  }

  void set(std::size_t index, std::shared_ptr<const T> value) {
    const std::size_t chunk = index / kChunk;
    if (chunk >= chunks_.size()) {
      if (value == nullptr) return;
      chunks_.resize(chunk + 1);
    }
    std::shared_ptr<Chunk>& here = chunks_[chunk];
    if (here == nullptr) {
      here = std::make_shared<Chunk>();
    } else if (here.use_count() > 1) {  // else nobody else can get at it
      here = std::make_shared<Chunk>(*here);
    }
    (*here)[index % kChunk] = std::move(value);
  }

 private:
  using Chunk = std::array<std::shared_ptr<const T>, kChunk>;
  std::vector<std::shared_ptr<Chunk>> chunks_;
};

struct Snapshot::HeldTable {
  std::shared_ptr<const NameIndex> names;
  // By row of `names`.
  SharedRows<Held> pods;
  SharedRows<DeviceRoom> devices;
};

}  // namespace berth::cluster
