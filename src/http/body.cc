#include "body.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace berth::http {
namespace {

constexpr std::size_t kMaxChunkLine = 1024;
constexpr std::size_t kMaxTrailerBytes = std::size_t{8} << 10;
// Memory for an announced length is asked for only after this much of it has come.
constexpr std::size_t kEarnestBytes = std::size_t{1} << 20;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

/// "1a" or "1a;name=value". False: not a size, or one that no limit allows.
bool read_chunk_size(std::string_view line, std::size_t& size) {
  const std::string_view digits = line.substr(0, line.find(';'));
  if (digits.empty() || digits.size() > 15) return false;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size, 16);
  return error == std::errc{} && end == digits.data() + digits.size();
}

}  // namespace

BodyReader::BodyReader(Connection& connection, std::span<char> scratch, const BodyLimits& limits)
    : connection_(connection),
      scratch_(scratch),
      limits_(limits),
      body_deadline_(now() + limits.body_timeout) {}

int BodyReader::read(const Framing& framing, BudgetShare& budget, PaddedBuffer* into) {
  budget_ = &budget;
  into_ = into;
  if (!framing.has_body()) return 0;
  if (framing.content_length > limits_.max_bytes) return 413;
  if (framing.expects_continue && connection_.buffered().empty()) {
    const Io sent = connection_.write(kContinue, limits_.read_timeout, body_deadline_);
    if (sent != Io::kOk) return kGone;
  }
  return framing.chunked ? read_chunked() : read_known_length(framing.content_length);
}

Instant BodyReader::deadline() const {
  return std::min(body_deadline_, now() + limits_.read_timeout);
}

int BodyReader::status_of(Io io) {
  switch (io) {
    case Io::kOk:
      return 0;
    case Io::kTimeout:
      return 408;
    case Io::kClosed:
      break;
  }
  return kGone;
}

int BodyReader::keep(std::string_view bytes) {
  total_ += bytes.size();
  if (into_ == nullptr) return 0;
  if (!budget_->take(bytes.size())) return 503;
  into_->append(bytes);
  return 0;
}

int BodyReader::need_more() {
  // A client that trickles never runs into the time-out of a single piece.
  if (now() >= body_deadline_) return 408;
  return status_of(connection_.fill(scratch_, deadline()));
}

int BodyReader::read_known_length(std::size_t length) {
  if (into_ != nullptr) into_->reserve(std::min(length, kEarnestBytes));
  const std::string_view early = connection_.buffered().substr(0, length);
  if (const int refused = keep(early); refused != 0) return refused;
  connection_.consume(early.size());
  while (total_ < length) {
    if (now() >= body_deadline_) return 408;
    std::size_t received = 0;
    const auto room = scratch_.first(std::min(scratch_.size(), length - total_));
    const int failed = status_of(connection_.read(room, received, deadline()));
    if (failed != 0) return failed;
    if (into_ != nullptr && total_ + received > kEarnestBytes) into_->reserve(length);
    const int refused = keep({room.data(), received});
    if (refused != 0) return refused;
  }
  return 0;
}

int BodyReader::read_chunked() {
  std::string line;
  for (;;) {
    if (const int failed = read_line(line, kMaxChunkLine); failed != 0) return failed;
    std::size_t size = 0;
    if (!read_chunk_size(line, size)) return 400;
    if (size == 0) return read_trailers();
    if (size > limits_.max_bytes - total_) return 413;
    if (const int failed = read_chunk_data(size); failed != 0) return failed;
  }
}

int BodyReader::read_chunk_data(std::size_t length) {
  while (length > 0) {
    const std::string_view piece = connection_.buffered().substr(0, length);
    if (piece.empty()) {
      if (const int failed = need_more(); failed != 0) return failed;
      continue;
    }
    if (const int refused = keep(piece); refused != 0) return refused;
    length -= piece.size();
    connection_.consume(piece.size());
  }
  std::string rest;
  const int failed = read_line(rest, 0);
  if (failed != 0) return failed;
  return rest.empty() ? 0 : 400;
}

int BodyReader::read_trailers() {
  std::string line;
  for (std::size_t bytes = 0; bytes <= kMaxTrailerBytes; bytes += line.size() + 2) {
    if (const int failed = read_line(line, kMaxTrailerBytes); failed != 0) return failed;
    if (line.empty()) return 0;
  }
  return 400;
}

/// Takes the next line, without its CRLF.
int BodyReader::read_line(std::string& line, std::size_t max_bytes) {
  for (;;) {
    const std::string_view input = connection_.buffered();
    const std::size_t end = input.find('\n');
    if (end != std::string_view::npos) {
      if (end == 0 || input[end - 1] != '\r' || end - 1 > max_bytes) return 400;
      line.assign(input.substr(0, end - 1));
      connection_.consume(end + 1);
      return line.find('\r') == std::string::npos ? 0 : 400;
    }
    if (input.size() > max_bytes + 1) return 400;
    if (const int failed = need_more(); failed != 0) return failed;
  }
}

}  // namespace berth::http
