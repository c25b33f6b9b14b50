#include "quoting.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace berth::telemetry {
namespace {

struct Decoded {
  std::uint32_t code = 0xFFFD;
  std::size_t length = 1;
  bool valid = false;
};

/// The first code point of `text`. REQUIRES: !text.empty().
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kLeast[length] || code > 0x10FFFF || surrogate) return {};
  return {code, length, true};
}

bool must_escape(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}

void append_escape(std::string& out, std::uint32_t code) {
  if (code == '\n') {
    out += "\\n";
  } else if (code == '\t') {
    out += "\\t";
  } else if (code == '\r') {
    out += "\\r";
  } else {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += "\\u";
    for (const unsigned shift : {12U, 8U, 4U, 0U}) out += kHex[(code >> shift) & 0xFU];
  }
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (!next.valid) {
      out += "\xEF\xBF\xBD";
    } else if (next.code == '"' || next.code == '\\') {
      out += '\\';
      out += text.front();
    } else if (must_escape(next.code)) {
      append_escape(out, next.code);
    } else {
      out += text.substr(0, next.length);
    }
    text.remove_prefix(next.length);
  }
  out += '"';
  return out;
}

bool is_bare(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c >= 0x7F || c == '"' || c == '=' || c == '\\') return false;
  }
  return !text.empty();
}

}  // namespace berth::telemetry
