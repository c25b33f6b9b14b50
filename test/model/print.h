/// How failing tests show values of the model.
#pragma once

#include <ostream>

#include "berth/model/readiness.h"
#include "berth/model/resources.h"

namespace berth::model {

inline void PrintTo(const Quantity& quantity, std::ostream* out) {
  *out << quantity.milli_value() << 'm';
}

inline void PrintTo(const ResourceList& list, std::ostream* out) {
  for (const auto& [name, quantity] : list) *out << name << '=' << quantity.milli_value() << "m ";
}

inline void PrintTo(Readiness readiness, std::ostream* out) { *out << to_string(readiness); }

}  // namespace berth::model
