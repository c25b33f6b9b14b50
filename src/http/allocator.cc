#include "allocator.h"

#include <cstdlib>

#ifdef __GLIBC__
extern "C" int mallopt(int parameter, int value) noexcept;  // of <malloc.h>
#endif

namespace berth::http {
namespace {

#ifdef __GLIBC__
constexpr int kTrimThreshold = -1;  // M_TRIM_THRESHOLD
constexpr int kMmapThreshold = -3;  // M_MMAP_THRESHOLD
#endif

}  // namespace

void bound_kept_memory() {
#ifdef __GLIBC__
  // Bodies of names (some hundred kilobytes) stay below both: they are reused, not mapped anew.
  mallopt(kMmapThreshold, 4 << 20);
  mallopt(kTrimThreshold, 8 << 20);
#endif
}

}  // namespace berth::http
