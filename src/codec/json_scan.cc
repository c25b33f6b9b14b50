#include "json_scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace berth::codec {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Sixteen bytes compared at once, in the compilers' portable vector form: each byte of a comparison
// is all ones where it holds. Signed, so that bytes from 0x80 on are negative.
using Bytes = signed char __attribute__((vector_size(kScanSlack)));

struct QuoteOrBackslash {
  static Bytes matches(Bytes bytes) { return (bytes == '"') | (bytes == '\\'); }
};

struct NotPlain {
  static Bytes matches(Bytes bytes) {
    return QuoteOrBackslash::matches(bytes) | (bytes < 0x20);  // negative ones too
  }
};

struct QuoteOrBracket {
  static Bytes matches(Bytes bytes) {
    const Bytes folded = bytes | 0x20;  // '[' and '{', ']' and '}' differ in this bit
    return (bytes == '"') | (folded == '{') | (folded == '}');
  }
};

/// Index of the first byte that is not zero; 8 if there is none.
std::size_t first_set(std::uint64_t bytes) {
  const int bits = std::endian::native == std::endian::little ? std::countr_zero(bytes)
                                                              : std::countl_zero(bytes);
  return static_cast<std::size_t>(bits) / 8;
}

template <typename Wanted>
const char* find(const char* at, const char* end) {
  for (; at < end; at += kScanSlack) {
    Bytes bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    const Bytes matches = Wanted::matches(bytes);
    std::array<std::uint64_t, 2> halves;
    std::memcpy(halves.data(), &matches, sizeof halves);
    if ((halves[0] | halves[1]) == 0) continue;
    const char* found =
        at + (halves[0] != 0 ? first_set(halves[0]) : sizeof halves[0] + first_set(halves[1]));
    return std::min(found, end);
  }
  return end;
}

}  // namespace

const char* find_quote_or_backslash(const char* at, const char* end) {
  return find<QuoteOrBackslash>(at, end);
}

const char* find_not_plain(const char* at, const char* end) { return find<NotPlain>(at, end); }

char JsonScanner::peek() {
  while (at_ < end_ && is_space(*at_)) ++at_;
  return at_ < end_ ? *at_ : '\0';
}

bool JsonScanner::take(char wanted) {
  if (peek() != wanted || at_end()) return false;
  ++at_;
  return true;
}

bool JsonScanner::skip_string() {
  ++at_;
  while (true) {
    at_ = find<QuoteOrBackslash>(at_, end_);
    if (at_ == end_) return false;
    if (*at_ == '"') break;
    if (end_ - at_ < 2) return false;
    at_ += 2;
  }
  ++at_;
  return true;
}

bool JsonScanner::skip_container() {
  std::size_t open = 0;
  while (true) {
    at_ = find<QuoteOrBracket>(at_, end_);
    if (at_ == end_) return false;
    if (*at_ == '"') {
      if (!skip_string()) return false;
      continue;
    }
    const bool opens = *at_ == '{' || *at_ == '[';
    ++at_;
    if (opens) {
      ++open;
    } else if (--open == 0) {
      return true;
    }
  }
}

void JsonScanner::skip_scalar() {
  constexpr std::string_view kEnds = ",:]}[{\"";
  while (at_ < end_ && !is_space(*at_) && kEnds.find(*at_) == std::string_view::npos) ++at_;
}

std::optional<std::string_view> JsonScanner::take_value() {
  const char first = peek();
  const char* begin = at_;
  if (first == '"') {
    if (!skip_string()) return std::nullopt;
  } else if (first == '{' || first == '[') {
    if (!skip_container()) return std::nullopt;
  } else {
    skip_scalar();
  }
  if (at_ == begin) return std::nullopt;
  return std::string_view(begin, static_cast<std::size_t>(at_ - begin));
}

std::optional<std::string_view> JsonScanner::take_string() {
  if (peek() != '"') return std::nullopt;
  return take_value();
}

std::optional<std::string_view> JsonScanner::take_plain_string() {
  if (peek() != '"') return std::nullopt;
  const char* begin = at_ + 1;
  const char* stop = find<NotPlain>(begin, end_);
  if (stop == end_ || *stop != '"') return std::nullopt;
  at_ = stop + 1;
  return std::string_view(begin, static_cast<std::size_t>(stop - begin));
}

std::optional<std::string_view> find_member(std::string_view object, std::string_view key) {
  JsonScanner scanner(object);
  std::optional<std::string_view> found;
  if (!scanner.take('{')) return found;
  while (scanner.peek() == '"') {
    const auto name = scanner.take_string();
    if (!name || !scanner.take(':')) break;
    const auto value = scanner.take_value();
    if (!value) break;
    if (name->substr(1, name->size() - 2) == key) found = value;
    if (!scanner.take(',')) break;
  }
  return found;
}

}  // namespace berth::codec
