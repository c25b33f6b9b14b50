/// The kinds of objects from which the picture of a cluster is made.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::cluster {

enum class Source : std::uint8_t {
  kNodes,
  kPods,
  kDeviceClasses,
  kResourceSlices,
  kResourceClaims,
};
inline constexpr std::array kAllSources = {Source::kNodes, Source::kPods, Source::kDeviceClasses,
                                           Source::kResourceSlices, Source::kResourceClaims};

/// Kubernetes' resource names: "nodes", "pods", "deviceclasses", ...
[[nodiscard]] constexpr std::string_view to_string(Source source) {
  constexpr std::array<std::string_view, kAllSources.size()> kNames = {
      "nodes", "pods", "deviceclasses", "resourceslices", "resourceclaims"};
  return kNames[static_cast<std::size_t>(source)];
}

/// Why everything of a source was listed.
enum class RelistReason : std::uint8_t {
  kStart,     ///< the first time
  kExpired,   ///< the API server no longer had the version at which the watch would go on (410)
  kOverflow,  ///< events came faster than they could be taken
};
inline constexpr std::array kAllRelistReasons = {RelistReason::kStart, RelistReason::kExpired,
                                                 RelistReason::kOverflow};

/// "start", "expired", "overflow".
[[nodiscard]] constexpr std::string_view to_string(RelistReason reason) {
  constexpr std::array<std::string_view, kAllRelistReasons.size()> kNames = {"start", "expired",
                                                                             "overflow"};
  return kNames[static_cast<std::size_t>(reason)];
}

/// How it stands with one source.
struct SourceStatus {
  Source source = Source::kNodes;
  bool synced = false;  ///< a complete list is in the state, or the API server lacks the kind
  bool absent = false;  ///< the API server does not serve the kind
  /// Since the last event, bookmark, page of a list or end of a watch; since the start if there
  /// was none.
  std::chrono::nanoseconds silent_for{};
  std::string trouble;  ///< the last failure; empty once it works again
};

}  // namespace berth::cluster
