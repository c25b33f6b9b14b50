#include "test/harness/json_text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>

namespace berth::harness {
namespace {

using nlohmann::json;

/// Walks over valid JSON text without making values of it.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { skip_space(); }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void step() {
    ++at_;
    skip_space();
  }

  /// The bytes of the next value; the scanner stands behind it and the white space that follows.
  std::string_view value() {
    const std::size_t start = at_;
    if (peek() == '"') {
      skip_string();
    } else if (peek() == '{' || peek() == '[') {
      skip_nested();
    } else {
      while (at_ < text_.size() && std::string_view(",]} \t\r\n").find(peek()) == text_.npos) ++at_;
    }
    const std::string_view bytes = text_.substr(start, at_ - start);
    skip_space();
    return bytes;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }
  void skip_nested() {
    std::size_t depth = 0;
    do {
      if (peek() == '"') {
        skip_string();
        continue;
      }
      if (peek() == '{' || peek() == '[') ++depth;
      if (peek() == '}' || peek() == ']') --depth;
      ++at_;
    } while (depth > 0 && at_ < text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<RawMembers> raw_members(std::string_view text) {
  Scanner scanner(text);
  if (scanner.peek() != '{') return std::nullopt;
  RawMembers members;
  scanner.step();
  while (scanner.peek() == '"') {
    const auto key = json::parse(scanner.value()).get<std::string>();
    scanner.step();  // the colon
    members.emplace_back(key, scanner.value());
    if (scanner.peek() == ',') scanner.step();
  }
  return members;
}

std::optional<std::vector<std::string_view>> raw_elements(std::string_view text) {
  Scanner scanner(text);
  if (scanner.peek() != '[') return std::nullopt;
  std::vector<std::string_view> elements;
  scanner.step();
  while (scanner.peek() != ']' && scanner.peek() != '\0') {
    elements.push_back(scanner.value());
    if (scanner.peek() == ',') scanner.step();
  }
  return elements;
}

std::optional<std::string_view> find_ignoring_case(const RawMembers& members,
                                                   std::string_view key) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  for (const auto& [name, value] : members) {
    if (std::equal(name.begin(), name.end(), key.begin(), key.end(), same)) return value;
  }
  return std::nullopt;
}

std::vector<std::string> json_problems(std::string_view text) {
  std::vector<std::string> problems;
  if (text.substr(0, 3) == "\xEF\xBB\xBF") problems.emplace_back("starts with a byte order mark");
  std::vector<std::set<std::string>> open_objects;
  const auto note_repeats = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open_objects.emplace_back();
    if (event == json::parse_event_t::object_end) open_objects.pop_back();
    if (event == json::parse_event_t::key &&
        !open_objects.back().insert(parsed.get<std::string>()).second) {
      problems.push_back("key twice: " + parsed.get<std::string>());
    }
    return true;
  };
  try {
    [[maybe_unused]] const json value = json::parse(text, note_repeats);
  } catch (const json::exception& error) {
    problems.push_back(std::string("not one JSON value: ") + error.what());
  }
  return problems;
}

}  // namespace berth::harness
