/// The answers to filter and prioritize, byte for byte as kube-scheduler wants them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "berth/codec/extender_args.h"

namespace berth::codec {

/// What filter says about one requested node.
struct FilterAnswer {
  static constexpr std::uint32_t kPasses = UINT32_MAX;
  std::uint32_t requested = 0;     ///< index into ExtenderArgs::requested
  std::uint32_t reason = kPasses;  ///< index into the reasons
  bool resolvable = false;
};

/// ExtenderFilterResult with all five keys. Mirrors the form of `args`: names in, names out; full
/// nodes in, the same bytes of the survivors out. REQUIRES: every node once in `answers`.
/// Cost: O(reply), reasons are escaped once each.
[[nodiscard]] std::string encode_filter_result(const ExtenderArgs& args,
                                               std::span<const FilterAnswer> answers,
                                               std::span<const std::string_view> reasons);

struct HostScore {
  std::uint32_t requested = 0;  ///< index into ExtenderArgs::requested
  int score = 0;
};
/// HostPriorityList: a bare array of {"Host","Score"}.
[[nodiscard]] std::string encode_host_priorities(const ExtenderArgs& args,
                                                 std::span<const HostScore> scores);

/// {"error":"..."}: the body of a refusal by HTTP status.
[[nodiscard]] std::string encode_error(std::string_view message);

/// `text` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string quote_json(std::string_view text);

}  // namespace berth::codec
