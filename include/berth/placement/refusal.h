/// Why a node was refused: a constant sentence per cause, as events show it.
///
/// Source of the wording: in-tree plugins where the meaning is the same. No numbers, no node
/// names, no percent sign: kube-scheduler counts equal strings and formats them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace berth::placement {

/// The stages of filter, in the order in which they are judged; the first that fails names the
/// refusal. kResource stages follow one per requested resource, the scarcest first.
enum class Stage : std::uint8_t {
  kInvalidRequest,  ///< the pod has a request that cannot be read
  kUnknownNode,     ///< not in the snapshot
  kCordon,
  kTaint,
  kNodeAffinity,
  kReconfiguring,
  kLabelPending,
  kLabelRule,
  kResource,
};
/// All of them, in that order.
inline constexpr std::array kAllStages = {
    Stage::kInvalidRequest, Stage::kUnknownNode,  Stage::kCordon,
    Stage::kTaint,          Stage::kNodeAffinity, Stage::kReconfiguring,
    Stage::kLabelPending,   Stage::kLabelRule,    Stage::kResource};

/// The word under which metrics count it: "cordon", "label_pending", ...
[[nodiscard]] std::string_view to_string(Stage stage);

/// The sentence of a stage other than kResource.
[[nodiscard]] std::string_view reason_text(Stage stage);

}  // namespace berth::placement
