/// How error messages of this module show the text they are about.
#pragma once

#include <string>
#include <string_view>

namespace berth::model {

/// `text` in quotes, at most 64 bytes of it, with everything but printable ASCII as '?', so that it
/// may go into any log, header or JSON string whoever sent it.
inline std::string quoted(std::string_view text) {
  constexpr std::string_view::size_type kShown = 64;
  std::string result = "\"";
  for (const char c : text.substr(0, kShown)) {
    const bool printable = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    result += printable ? c : '?';
  }
  result += text.size() > kShown ? "...\"" : "\"";
  return result;
}

}  // namespace berth::model
