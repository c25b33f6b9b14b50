#include "configuration_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "berth/codec/extender_reply.h"

namespace berth::app {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, regardless
/// of case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      cost[i][j] =
          std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string_view kind_name(const codec::YamlValue& value) {
  switch (value.kind) {
    case codec::YamlValue::Kind::kNull:
      return "null";
    case codec::YamlValue::Kind::kScalar:
      return "a single value";
    case codec::YamlValue::Kind::kSequence:
      return "a list";
    case codec::YamlValue::Kind::kMap:
      return "a map";
  }
  return "something else";
}

/// A key that is not a plain word is shown in quotes: it may hold anything.
std::string join(const std::string& path, std::string_view key) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";
  std::string joined = path;
  if (!joined.empty()) joined += '.';
  const bool plain = !key.empty() && key.find_first_not_of(kPlain) == std::string_view::npos;
  if (plain && key.size() <= 80) {
    joined += key;
  } else {
    joined += shown(key);
  }
  return joined;
}

std::string meant(const std::optional<std::string_view>& word) {
  return word ? "; did you mean " + shown(*word) + "?" : std::string();
}

}  // namespace

std::optional<std::string_view> closest_word(std::string_view text,
                                             std::span<const std::string_view> words) {
  constexpr std::size_t kLongest = 64;  // no key is longer; bounds the cost
  if (text.size() > kLongest) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const std::string_view word : words) {
    const std::size_t distance = edit_distance(text, word);
    const std::size_t allowed = std::max<std::size_t>(1, word.size() / 3);
    if (distance <= allowed && (!best || distance < best_distance)) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

std::string list_words(std::span<const std::string_view> words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " or " : ", ";
    list += words[i];
  }
  return list;
}

bool looks_octal(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 80;
  if (text.size() <= kMost) return codec::quote_json(text);
  return codec::quote_json(text.substr(0, kMost)) + "...";
}

void ConfigurationReader::fail(const Located& at, std::string_view message) {
  if (error_) return;
  std::string text =
      file_ + ":" + std::to_string(at.value.line) + ":" + std::to_string(at.value.column) + ": ";
  if (!at.path.empty()) text += at.path + ": ";
  text += message;
  error_ = Error{ErrorCode::kInvalidArgument, std::move(text)};
}

void ConfigurationReader::map(const Located& at, const std::vector<Key>& keys) {
  if (at.value.kind != codec::YamlValue::Kind::kMap) {
    return fail(at, "is " + std::string(kind_name(at.value)) + ", must be a map");
  }
  std::vector<std::string_view> names;
  names.reserve(keys.size());
  for (const Key& key : keys) names.push_back(key.name);

  std::vector<bool> seen(keys.size(), false);
  for (std::size_t i = 0; i < at.value.keys.size(); ++i) {
    const codec::YamlValue& key = at.value.keys[i];
    const codec::YamlValue& value = at.value.items[i];
    const auto known = std::find(names.begin(), names.end(), key.text);
    if (known == names.end()) {
      const auto guess = closest_word(key.text, names);
      std::string message = "unknown key";
      message += guess ? meant(guess) : "; known here: " + list_words(names);
      return fail({key, join(at.path, key.text)}, message);
    }
    const auto index = static_cast<std::size_t>(known - names.begin());
    if (seen[index]) return fail({key, join(at.path, key.text)}, "given twice");
    seen[index] = true;
    if (value.kind == codec::YamlValue::Kind::kNull) continue;
    keys[index].read({value, join(at.path, key.text)});
  }
}

void ConfigurationReader::sequence(const Located& at, std::size_t max_items,
                                   const std::function<void(const Located&)>& read) {
  if (at.value.kind != codec::YamlValue::Kind::kSequence) {
    return fail(at, "is " + std::string(kind_name(at.value)) + ", must be a list");
  }
  if (at.value.items.size() > max_items) {
    return fail(at, "has more than " + std::to_string(max_items) + " items");
  }
  for (std::size_t i = 0; i < at.value.items.size(); ++i) {
    read({at.value.items[i], at.path + "[" + std::to_string(i) + "]"});
  }
}

std::optional<std::string> ConfigurationReader::scalar(const Located& at, std::string_view what) {
  if (at.value.kind != codec::YamlValue::Kind::kScalar) {
    fail(at, "is " + std::string(kind_name(at.value)) + ", must be " + std::string(what));
    return std::nullopt;
  }
  return at.value.text;
}

std::optional<std::string> ConfigurationReader::string(const Located& at) {
  auto text = scalar(at, "a string");
  if (!text || at.value.quoted) return text;
  const codec::ScalarType type = codec::resolve_plain_scalar(*text).type;
  if (type == codec::ScalarType::kString) return text;
  const std::string_view name = type == codec::ScalarType::kBoolean ? "a boolean" : "a number";
  fail(at, *text + " is " + std::string(name) + " in YAML, must be a string; write " +
               shown(*text) + " with its quotes");
  return std::nullopt;
}

std::optional<std::string> ConfigurationReader::word(const Located& at,
                                                     std::span<const std::string_view> words) {
  auto text = scalar(at, list_words(words));
  if (!text || std::find(words.begin(), words.end(), *text) != words.end()) return text;
  fail(at, shown(*text) + " is not allowed; use " + list_words(words));
  return std::nullopt;
}

std::optional<std::int64_t> ConfigurationReader::integer(const Located& at, std::int64_t least,
                                                         std::int64_t most) {
  const std::string what =
      "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  const auto text = scalar(at, what);
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, problem] = std::from_chars(text->data(), end, value);
  if (!at.value.quoted && !looks_octal(*text) && stop == end && problem == std::errc() &&
      value >= least && value <= most) {
    return value;
  }
  fail(at, shown(*text) + " is not " + what);
  return std::nullopt;
}

std::optional<float> ConfigurationReader::number(const Located& at, float least, float most) {
  const auto integral = [](float bound) { return std::to_string(static_cast<int>(bound)); };
  const std::string what = "a number from " + integral(least) + " to " + integral(most);
  const auto text = scalar(at, what);
  if (!text) return std::nullopt;
  float value = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, problem] = std::from_chars(text->data(), end, value);
  if (!at.value.quoted && !looks_octal(*text) && stop == end && problem == std::errc() &&
      std::isfinite(value) && value >= least && value <= most) {
    return value;
  }
  fail(at, shown(*text) + " is not " + what);
  return std::nullopt;
}

}  // namespace berth::app
