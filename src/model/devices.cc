#include "berth/model/devices.h"

#include <algorithm>

namespace berth::model {
namespace {

constexpr std::string_view kSpace = " \t\n\f\r";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// Takes `token` and the white space before it.
bool take(std::string_view& text, std::string_view token) {
  const std::string_view rest = trim(text);
  if (!rest.starts_with(token)) return false;
  text = rest.substr(token.size());
  return true;
}

/// The NAME of `device.driver == 'NAME'`, if that is all of `text`.
std::optional<std::string_view> driver_of(std::string_view text) {
  if (!take(text, "device") || !take(text, ".") || !take(text, "driver") || !take(text, "==")) {
    return std::nullopt;
  }
  text = trim(text);
  if (text.size() < 3 || (text.front() != '\'' && text.front() != '"') ||
      text.back() != text.front()) {
    return std::nullopt;
  }
  const std::string_view name = text.substr(1, text.size() - 2);
  if (name.find_first_of("'\"\\") != std::string_view::npos) return std::nullopt;
  return name;
}

/// The parts between the `&&` that are in no string and no bracket. Nothing when some operator
/// there binds less than `&&`, or strings and comments are not of the simplest kind.
std::optional<std::vector<std::string_view>> conjuncts_of(std::string_view text) {
  if (text.find('\\') != std::string_view::npos || text.find("//") != std::string_view::npos ||
      text.find("'''") != std::string_view::npos || text.find("\"\"\"") != std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'' || c == '"') {
      i = text.find(c, i + 1);
      if (i == std::string_view::npos) return std::nullopt;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      if (--depth < 0) return std::nullopt;
    } else if (depth == 0 && (c == '|' || c == '?')) {
      return std::nullopt;
    } else if (depth == 0 && text.substr(i, 2) == "&&") {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 2;
      ++i;
    }
  }
  if (depth != 0) return std::nullopt;
  parts.push_back(text.substr(begin));
  return parts;
}

DriverRule rule_of(std::string_view selector) {
  const auto conjuncts = conjuncts_of(selector);
  if (!conjuncts) return {};
  for (const std::string_view conjunct : *conjuncts) {
    if (const auto driver = driver_of(conjunct)) {
      return {std::string(*driver), conjuncts->size() == 1};
    }
  }
  return {};
}

}  // namespace

DriverRule driver_rule(const DeviceClass& device_class) {
  DriverRule rule;
  bool complete = !device_class.selectors.empty();
  for (const std::string& selector : device_class.selectors) {
    const DriverRule part = rule_of(selector);
    if (rule.driver.empty()) rule.driver = part.driver;
    complete = complete && part.complete && part.driver == rule.driver;
  }
  rule.complete = complete;
  return rule;
}

}  // namespace berth::model
