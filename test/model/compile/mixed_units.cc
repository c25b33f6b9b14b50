// Compiled by two ctests: as it stands it must compile, with BERTH_MIX_UNITS it must not.
#include "berth/model/amount.h"

berth::model::MilliCpu total(berth::model::MilliCpu cpu, berth::model::Bytes memory);
berth::model::MilliCpu total(berth::model::MilliCpu cpu, berth::model::Bytes memory) {
#ifdef BERTH_MIX_UNITS
  return cpu + memory;
#else
  return memory.count() == 0 ? cpu : cpu + cpu;
#endif
}
