/// JSON as text: what a DOM does not tell, such as the bytes of a value and repeated keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::harness {

/// The bytes of the values of one object, in order. Views into the text.
using RawMembers = std::vector<std::pair<std::string, std::string_view>>;

/// Members of the object that `text` is; nothing if it is not an object. REQUIRES: valid JSON.
[[nodiscard]] std::optional<RawMembers> raw_members(std::string_view text);
/// Elements of the array that `text` is; nothing if it is not an array. REQUIRES: valid JSON.
[[nodiscard]] std::optional<std::vector<std::string_view>> raw_elements(std::string_view text);
/// The value of a key, compared as Go does for our top-level keys: without regard to case.
[[nodiscard]] std::optional<std::string_view> find_ignoring_case(const RawMembers& members,
                                                                 std::string_view key);

/// What is wrong with `text` as one strict JSON value: not JSON, a BOM, anything behind the value
/// but one newline, a key twice in one object. Empty: nothing.
[[nodiscard]] std::vector<std::string> json_problems(std::string_view text);

}  // namespace berth::harness
