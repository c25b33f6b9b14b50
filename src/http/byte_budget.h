/// A bound on the bytes that all requests together may hold.
#pragma once

#include <atomic>
#include <cstddef>

namespace berth::http {

/// Thread-safe.
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t limit) : limit_(limit) {}
  [[nodiscard]] std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t left() const {
    const std::size_t now = used();
    return now < limit_ ? limit_ - now : 0;
  }

 private:
  friend class BudgetShare;
  bool take(std::size_t bytes) {
    const std::size_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (before <= limit_ && bytes <= limit_ - before) return true;
    give(bytes);
    return false;
  }
  void give(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

/// What one request holds of it; given back at the end of its life. Not thread-safe.
class BudgetShare {
 public:
  explicit BudgetShare(ByteBudget& budget) : budget_(budget) {}
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;
  ~BudgetShare() { release(); }

  [[nodiscard]] bool take(std::size_t bytes) {
    if (!budget_.take(bytes)) return false;
    held_ += bytes;
    return true;
  }
  void release() {
    budget_.give(held_);
    held_ = 0;
  }

 private:
  ByteBudget& budget_;
  std::size_t held_ = 0;
};

}  // namespace berth::http
