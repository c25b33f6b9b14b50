/// Text from outside as it may stand in an error message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::codec {

inline constexpr std::size_t kShownBytes = 80;

/// At most `max_bytes` of `text` (then "..."), control characters and bytes that are no UTF-8 as
/// \xNN.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes = kShownBytes);

}  // namespace berth::codec
