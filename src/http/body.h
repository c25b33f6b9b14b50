/// Reads one request body, counting while it reads.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "berth/base/padded_buffer.h"
#include "byte_budget.h"
#include "connection.h"
#include "head.h"

namespace berth::http {

struct BodyLimits {
  std::size_t max_bytes = 0;
  std::chrono::milliseconds read_timeout{};
  std::chrono::milliseconds body_timeout{};
};

/// Reads the body that `framing` announces from `connection`, whose next byte is the body's first.
/// With `into` null the bytes are dropped and nothing is taken of the budget.
class BodyReader {
 public:
  BodyReader(Connection& connection, std::span<char> scratch, const BodyLimits& limits);

  /// 0 when it is complete: the next byte belongs to the next request. Else the status to answer
  /// with (400, 408, 413, 503), after which the connection must close; kGone: nobody to answer.
  [[nodiscard]] int read(const Framing& framing, BudgetShare& budget, PaddedBuffer* into);
  static constexpr int kGone = -1;

 private:
  [[nodiscard]] int read_known_length(std::size_t length);
  [[nodiscard]] int read_chunked();
  [[nodiscard]] int read_chunk_data(std::size_t length);
  [[nodiscard]] int read_trailers();
  [[nodiscard]] int read_line(std::string& line, std::size_t max_bytes);
  [[nodiscard]] int need_more();
  [[nodiscard]] int keep(std::string_view bytes);
  [[nodiscard]] Instant deadline() const;
  [[nodiscard]] static int status_of(Io io);

  Connection& connection_;
  const std::span<char> scratch_;
  const BodyLimits& limits_;
  const Instant body_deadline_;
  BudgetShare* budget_ = nullptr;
  PaddedBuffer* into_ = nullptr;
  std::size_t total_ = 0;
};

}  // namespace berth::http
