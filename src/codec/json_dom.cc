#include "json_dom.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>

#include "berth/base/padded_buffer.h"
#include "json_scan.h"

namespace berth::codec {
namespace {

// A parser that one huge object made grow is given back before the next one.
constexpr std::size_t kKeptCapacity = std::size_t{4} << 20;
constexpr std::size_t kMinCapacity = std::size_t{16} << 10;
constexpr std::size_t kShortInteger = 18;  // digits and sign that always fit an int64

Error syntax_error(simdjson::error_code code, std::size_t depth) {
  if (code == simdjson::DEPTH_ERROR) {
    return Error{ErrorCode::kTooLarge, "nested deeper than " + std::to_string(depth) + " levels"};
  }
  if (code == simdjson::MEMALLOC || code == simdjson::CAPACITY) {
    return Error{ErrorCode::kTooLarge, "too large to parse"};
  }
  return Error{ErrorCode::kInvalidArgument,
               std::string("not valid JSON: ") + simdjson::error_message(code)};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_from(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// JSON's number grammar, which is stricter than what the characters allow.
bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = at;
  at = digits_from(text, at);
  if (at == whole || (text[whole] == '0' && at - whole > 1)) return false;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = ++at;
    at = digits_from(text, at);
    if (at == fraction) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = at;
    at = digits_from(text, at);
    if (at == exponent) return false;
  }
  return at == text.size();
}

bool needs_its_text(std::string_view number) {
  return is_json_number(number) &&
         (number.size() > kShortInteger || number.find_first_of(".eE") != std::string_view::npos);
}

/// Where the string that begins at `at` ends, one behind its closing quote.
std::size_t end_of_string(std::string_view json, std::size_t at) {
  const char* end = json.data() + json.size();
  const char* p = json.data() + at + 1;
  while ((p = find_quote_or_backslash(p, end)) != end && *p == '\\') {
    p = end - p < 2 ? end : p + 2;
  }
  return p == end ? json.size() : static_cast<std::size_t>(p - json.data()) + 1;
}

void quote_numbers(std::string_view json, std::string& out) {
  constexpr std::string_view kNumberCharacters = "+-.0123456789eE";
  out.clear();
  std::size_t at = 0;
  while (at < json.size()) {
    if (json[at] == '"') {
      const std::size_t end = end_of_string(json, at);
      out += json.substr(at, end - at);
      at = end;
    } else if (json[at] == '-' || is_digit(json[at])) {
      const std::size_t end = std::min(json.find_first_not_of(kNumberCharacters, at), json.size());
      const std::string_view number = json.substr(at, end - at);
      if (needs_its_text(number)) {
        out += "\"\\u0001";
        out += number;
        out += '"';
      } else {
        out += number;
      }
      at = end;
    } else {
      out += json[at++];
    }
  }
}

}  // namespace

JsonDom::JsonDom() : parser_(std::make_unique<simdjson::dom::parser>()) {}
JsonDom::~JsonDom() = default;
JsonDom::JsonDom(JsonDom&&) noexcept = default;
JsonDom& JsonDom::operator=(JsonDom&&) noexcept = default;

Result<simdjson::dom::element> JsonDom::parse(std::string_view json, std::size_t depth) {
  static_assert(simdjson::SIMDJSON_PADDING <= PaddedBuffer::kPadding);
  if (parser_->capacity() > kKeptCapacity && json.size() < kKeptCapacity) {
    parser_ = std::make_unique<simdjson::dom::parser>();
  }
  // The library refuses what reaches its depth, so it is asked for one level more.
  const std::size_t levels = std::max(depth, std::size_t{1}) + 1;
  if (parser_->capacity() < json.size() || parser_->max_depth() != levels) {
    const std::size_t capacity =
        std::max({std::bit_ceil(json.size()), kMinCapacity, parser_->capacity()});
    if (const auto code = parser_->allocate(capacity, levels)) return syntax_error(code, depth);
  }
  simdjson::dom::element root;
  const auto code = parser_->parse(json.data(), json.size(), false).get(root);
  if (code != simdjson::SUCCESS) return syntax_error(code, depth);
  return root;
}

Result<simdjson::dom::element> JsonDom::parse_keeping_numbers(std::string_view json,
                                                              std::size_t depth) {
  quote_numbers(json, rewritten_);
  const std::size_t size = rewritten_.size();
  rewritten_.append(PaddedBuffer::kPadding, '\0');
  return parse({rewritten_.data(), size}, depth);
}

}  // namespace berth::codec
