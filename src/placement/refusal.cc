#include "berth/placement/refusal.h"

namespace berth::placement {

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::kInvalidRequest:
      return "invalid_request";
    case Stage::kUnknownNode:
      return "unknown_node";
    case Stage::kCordon:
      return "cordon";
    case Stage::kTaint:
      return "taint";
    case Stage::kNodeAffinity:
      return "node_affinity";
    case Stage::kReconfiguring:
      return "reconfiguring";
    case Stage::kLabelPending:
      return "label_pending";
    case Stage::kLabelRule:
      return "label_rule";
    case Stage::kResource:
      return "resource";
  }
  return "unknown";
}

std::string_view reason_text(Stage stage) {
  switch (stage) {
    case Stage::kInvalidRequest:
      return "Invalid resource request";
    case Stage::kUnknownNode:
      return "node(s) unknown to berth";
    case Stage::kCordon:
      return "node(s) were unschedulable";
    case Stage::kTaint:
      return "node(s) had untolerated taint(s)";
    case Stage::kNodeAffinity:
      return "node(s) didn't match Pod's node affinity/selector";
    case Stage::kReconfiguring:
      return "node(s) GPU being reconfigured";
    case Stage::kLabelPending:
      return "node(s) GPU label pending";
    case Stage::kLabelRule:
      return "node(s) didn't match the GPU label rule";
    case Stage::kResource:
      break;  // named by the resource, see CompiledRequest::reason
  }
  return "Insufficient resources";
}

}  // namespace berth::placement
