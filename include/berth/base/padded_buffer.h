/// A growing byte buffer with readable bytes behind its end, as SIMD parsers want it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace berth {

/// Bytes read so far plus kPadding zero bytes that may be read but are not part of it. Movable;
/// views stay valid until the next append, clear or move. Not thread-safe.
/// Cost: amortised constant per appended byte; reserve() first when the length is known.
class PaddedBuffer {
 public:
  static constexpr std::size_t kPadding = 64;

  PaddedBuffer() = default;
  explicit PaddedBuffer(std::string_view bytes) { append(bytes); }
  PaddedBuffer(PaddedBuffer&& other) noexcept { swap(other); }
  PaddedBuffer& operator=(PaddedBuffer&& other) noexcept {
    PaddedBuffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  PaddedBuffer(const PaddedBuffer&) = delete;
  PaddedBuffer& operator=(const PaddedBuffer&) = delete;
  ~PaddedBuffer() = default;

  [[nodiscard]] std::string_view view() const { return {bytes_.get(), size_}; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

  void reserve(std::size_t size) {
    if (size <= capacity_) return;
    auto grown = std::make_unique_for_overwrite<char[]>(size + kPadding);
    if (size_ != 0) std::memcpy(grown.get(), bytes_.get(), size_);
    std::memset(grown.get() + size_, 0, kPadding);
    bytes_ = std::move(grown);
    capacity_ = size;
  }
  void append(std::string_view bytes) {
    if (size_ + bytes.size() > capacity_) reserve(std::max(size_ + bytes.size(), capacity_ * 2));
    if (bytes.empty()) return;
    std::memcpy(bytes_.get() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
    std::memset(bytes_.get() + size_, 0, kPadding);
  }
  /// Forgets the first `count` bytes. Cost: moves the others. REQUIRES: count <= size().
  void drop_front(std::size_t count) {
    if (count == 0) return;
    std::memmove(bytes_.get(), bytes_.get() + count, size_ - count);
    size_ -= count;
    std::memset(bytes_.get() + size_, 0, kPadding);
  }
  /// Forgets the bytes, keeps the memory.
  void clear() { size_ = 0; }

 private:
  void swap(PaddedBuffer& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace berth
