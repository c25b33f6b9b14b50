/// YAML as Kubernetes' tools read it, into plain values or JSON text.
///
/// Source of the rules for plain scalars: sigs.k8s.io/yaml (goyaml.v2 resolve.go), which kubectl
/// uses: YAML 1.1 booleans (on, yes, y), 0x10, 012 and 0o12 octal, 0b1, digits with underscores.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/padded_buffer.h"
#include "berth/base/result.h"

namespace berth::codec {

enum class ScalarType { kNull, kBoolean, kInteger, kFloat, kString };

/// What an unquoted scalar means, and its JSON text. Numbers that are JSON already stay as
/// written; infinities and NaN, which JSON lacks, become strings.
struct PlainScalar {
  ScalarType type = ScalarType::kString;
  std::string json;
};
[[nodiscard]] PlainScalar resolve_plain_scalar(std::string_view text);

/// A parsed value with its place in the text.
struct YamlValue {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  std::string text;     ///< kScalar: as written, without quotes
  bool quoted = false;  ///< kScalar: quoted or a block: always a string
  std::size_t line = 1;
  std::size_t column = 1;
  std::vector<YamlValue> items;  ///< kSequence, and the values of kMap: in order, repeats included
  std::vector<YamlValue> keys;   ///< kMap: keys[i] is the key of items[i]
};

struct YamlLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t depth = 32;
  std::size_t values = 100'000;
};

/// Where reading stopped, 1-based.
struct YamlProblem {
  std::size_t line = 1;
  std::size_t column = 1;
  std::string message;
};

/// The documents of `text`; null ones are left out. Anchors, aliases and tags are refused.
/// Returns false and fills `problem` on any failure; never throws.
[[nodiscard]] bool parse_yaml(std::string_view text, const YamlLimits& limits,
                              std::vector<YamlValue>& documents, YamlProblem& problem);

/// The documents of `text` as JSON texts, one per line, null documents left out. Aliases are
/// expanded as long as they stand for no more than 64 MiB and the result stays within
/// `max_json_bytes`; merge keys (<<) and unknown tags
/// are refused. Error: kInvalidArgument or kTooLarge, "line L, column C: what".
[[nodiscard]] Result<PaddedBuffer> yaml_to_json(std::string_view text, std::size_t max_json_bytes,
                                                std::size_t max_depth = 64);

}  // namespace berth::codec
