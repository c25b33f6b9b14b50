/// Hostile text on one line.
#pragma once

#include <string>
#include <string_view>

namespace berth::telemetry {

/// `text` as a JSON string with its quotes, which logfmt takes too. Besides what JSON wants
/// escaped, so are DEL, the C1 controls (terminals obey some) and the two Unicode line ends;
/// what is no UTF-8 becomes U+FFFD, byte by byte.
[[nodiscard]] std::string quote(std::string_view text);

/// Whether logfmt may show it without quotes: printable ASCII without space, quote, equals sign
/// and backslash, and not empty.
[[nodiscard]] bool is_bare(std::string_view text);

}  // namespace berth::telemetry
