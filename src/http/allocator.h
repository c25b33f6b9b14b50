/// What the process's allocator keeps for later.
#pragma once

namespace berth::http {

/// Makes glibc give large blocks back when they are freed. By itself it raises its thresholds to
/// the largest block ever freed, up to 32 MiB, and then keeps twice as much in each of its arenas,
/// of which there are eight per processor. Process-wide; without effect elsewhere.
void bound_kept_memory();

}  // namespace berth::http
