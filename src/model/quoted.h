/// How error messages of this module show the text they are about.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::model {

inline constexpr std::size_t kQuotedLength = 64;

/// `text` in quotes, at most kQuotedLength bytes of it, with everything but printable ASCII as '?',
/// so that it may go into any log, header or JSON string whoever sent it.
inline std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, kQuotedLength)) {
    const bool printable = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    result += printable ? c : '?';
  }
  result += text.size() > kQuotedLength ? "...\"" : "\"";
  return result;
}

}  // namespace berth::model
