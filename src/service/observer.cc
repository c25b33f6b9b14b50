#include "berth/service/observer.h"

namespace berth::service {

std::string_view to_string(Verb verb) {
  switch (verb) {
    case Verb::kFilter:
      return "filter";
    case Verb::kPrioritize:
      return "prioritize";
  }
  return "unknown";
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kNoNode:
      return "no_node";
    case Outcome::kBadRequest:
      return "bad_request";
    case Outcome::kTooLarge:
      return "too_large";
    case Outcome::kNotReady:
      return "not_ready";
  }
  return "unknown";
}

std::string_view to_string(SecondLook look) {
  switch (look) {
    case SecondLook::kNone:
      return "none";
    case SecondLook::kConfirmed:
      return "confirmed";
    case SecondLook::kHelped:
      return "helped";
  }
  return "unknown";
}

}  // namespace berth::service
