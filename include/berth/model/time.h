/// Moments and spans as text.
#pragma once

#include <string>
#include <string_view>

#include "berth/base/clock.h"
#include "berth/base/result.h"

namespace berth::model {

/// RFC 3339 with any fraction and offset, as Kubernetes and people write it:
/// 2026-11-30T12:00:00Z, 2026-11-30T13:00:00.5+01:00. Years 1678..2261 (int64 nanoseconds).
/// Digits beyond a nanosecond are dropped. Error: kInvalidArgument, names the text.
[[nodiscard]] Result<Time> parse_rfc3339(std::string_view text);
/// UTC, whole seconds: 2026-11-30T12:00:00Z.
[[nodiscard]] std::string to_rfc3339(Time time);

/// Go's duration grammar: 10m, 1h30m, 1.5s, 300ms, 0; but every unit at most once. Never negative.
/// Error: kInvalidArgument, names the text.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

}  // namespace berth::model
