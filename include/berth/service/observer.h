/// What the service tells about its work: the port that telemetry implements.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "berth/base/clock.h"
#include "berth/placement/filter.h"

namespace berth::service {

enum class Verb { kFilter, kPrioritize };
[[nodiscard]] std::string_view to_string(Verb verb);  ///< "filter", "prioritize"

enum class Outcome {
  kOk,          ///< answered
  kNoNode,      ///< filter answered and no node passed
  kBadRequest,  ///< the body could not be read: 400
  kTooLarge,    ///< a limit was exceeded: 413
  kNotReady,    ///< no snapshot yet: 503
};
[[nodiscard]] std::string_view to_string(Outcome outcome);

/// A filter that refuses every node looks once more when it is asked at the moment at which
/// something changed: kube-scheduler may have seen it some milliseconds earlier than we.
enum class SecondLook {
  kNone,
  kConfirmed,  ///< nothing changed, or nothing that helps
  kHelped,     ///< some node passes after all
};
inline constexpr std::array kAllSecondLooks = {SecondLook::kConfirmed, SecondLook::kHelped};
[[nodiscard]] std::string_view to_string(SecondLook look);  ///< "none", "confirmed", "helped"

/// One answered request. Views are valid during the call only.
struct Decision {
  Verb verb = Verb::kFilter;
  Outcome outcome = Outcome::kOk;
  std::string_view pod_namespace;
  std::string_view pod_name;
  std::string_view detail;                        ///< the error of a request that could not be read
  std::size_t requested = 0;                      ///< nodes asked about
  std::size_t passed = 0;                         ///< filter: nodes that passed
  std::string_view winner;                        ///< prioritize: the node with 10
  std::span<const std::string> invalid_requests;  ///< see model::Pod::invalid_requests
  std::string_view affinity_annotation;           ///< the policy's key of that annotation
  std::optional<std::string_view> unknown_affinity;  ///< its value on the pod if that is no mode
  /// filter: refused nodes by stage.
  std::array<std::size_t, placement::kAllStages.size()> refused{};
  SecondLook second_look = SecondLook::kNone;
  std::chrono::nanoseconds took{};  ///< steady clock, from body to reply, without the wire
};

/// Implementations are thread-safe, fast and do not throw.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_decision(const Decision& decision) = 0;
};

}  // namespace berth::service
