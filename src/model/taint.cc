#include "berth/model/taint.h"

#include <algorithm>

namespace berth::model {

TaintEffect parse_taint_effect(std::string_view text) {
  if (text == "NoSchedule") return TaintEffect::kNoSchedule;
  if (text == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  if (text == "NoExecute") return TaintEffect::kNoExecute;
  return TaintEffect::kUnknown;
}

TolerationOperator parse_toleration_operator(std::string_view text) {
  if (text.empty() || text == "Equal") return TolerationOperator::kEqual;
  if (text == "Exists") return TolerationOperator::kExists;
  return TolerationOperator::kUnknown;
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty()) {
    const TaintEffect effect = parse_taint_effect(toleration.effect);
    // Two effects that we do not know need not be the same one.
    if (effect == TaintEffect::kUnknown || effect != taint.effect) return false;
  }
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  switch (toleration.op) {
    case TolerationOperator::kExists:
      return true;
    case TolerationOperator::kEqual:
      return toleration.value == taint.value;
    case TolerationOperator::kUnknown:
      return false;
  }
  return false;
}

const Taint* first_untolerated(std::span<const Taint> taints,
                               std::span<const Toleration> tolerations) {
  for (const Taint& taint : taints) {
    if (taint.effect != TaintEffect::kNoSchedule && taint.effect != TaintEffect::kNoExecute) {
      continue;
    }
    const bool covered =
        std::any_of(tolerations.begin(), tolerations.end(),
                    [&](const Toleration& toleration) { return tolerates(toleration, taint); });
    if (!covered) return &taint;
  }
  return nullptr;
}

bool tolerates_cordon(std::span<const Toleration> tolerations) {
  const Taint cordon{"node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule};
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& toleration) { return tolerates(toleration, cordon); });
}

}  // namespace berth::model
