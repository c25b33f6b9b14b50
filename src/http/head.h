/// The guard before the HTTP library: reads nothing into a request that two readers could read
/// differently, and says how long its body is.
///
/// cpp-httplib skips header lines it does not understand, folds duplicates, keeps connections after
/// parse errors and counts no headers; so every head passes here first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::http {

inline constexpr std::size_t kMaxHeadBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxHeaderFields = 100;
/// Below cpp-httplib's own bound of 8192, so that the refusal is ours.
inline constexpr std::size_t kMaxLineBytes = 8000;

/// How the body of a request is delimited, and what else the server must know before reading it.
struct Framing {
  std::uint64_t content_length = 0;
  bool chunked = false;
  bool expects_continue = false;
  bool closes = false;  ///< the client wants no further request on this connection

  [[nodiscard]] bool has_body() const { return chunked || content_length > 0; }
};

/// The bytes of the head at the front of `input`, its empty line included; nullopt: not complete.
/// `scanned` carries how far earlier calls have looked.
[[nodiscard]] std::optional<std::size_t> find_head_end(std::string_view input,
                                                       std::size_t& scanned);

/// Judges a complete head. Returns 0 and fills `framing`, or the status to refuse it with. The
/// names of header fields that must have no effect in the library (Range, Accept-Encoding, Expect)
/// are overwritten in `head`; a target in absolute form loses its scheme and authority.
/// REQUIRES: find_head_end() found the whole of `head`.
[[nodiscard]] int judge_head(std::string& head, Framing& framing);

}  // namespace berth::http
