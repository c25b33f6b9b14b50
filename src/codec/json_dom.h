/// The parser behind every object: strict JSON of a bounded depth, memory reused.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace simdjson::dom {
class element;
class parser;
}  // namespace simdjson::dom

namespace berth::codec {

/// One parser. What it returns is valid until its next parse. Not thread-safe.
/// Errors: kInvalidArgument (not JSON, says why), kTooLarge (nested too deeply).
class JsonDom {
 public:
  JsonDom();
  ~JsonDom();
  JsonDom(JsonDom&&) noexcept;
  JsonDom& operator=(JsonDom&&) noexcept;

  /// Parses exactly one value, validating all of it (UTF-8 too), nested at most `depth` deep.
  /// REQUIRES: PaddedBuffer::kPadding readable bytes behind `json`.
  /// The parser knows numbers only as int64, uint64 and double; numbers beyond those are errors.
  [[nodiscard]] Result<simdjson::dom::element> parse(std::string_view json, std::size_t depth);

  /// The same, but every number that is not a short integer becomes the string kNumberMark + its
  /// text, so that nothing of it is lost. Slow: for the objects that need it.
  [[nodiscard]] Result<simdjson::dom::element> parse_keeping_numbers(std::string_view json,
                                                                     std::size_t depth);
  static constexpr char kNumberMark = '\x01';

 private:
  std::unique_ptr<simdjson::dom::parser> parser_;
  std::string rewritten_;
};

}  // namespace berth::codec
