// Atomic operations: begin_atomic() before the operation, end_atomic() after it.
#pragma once

#include <cstdint>

#include "runtime/recorder.h"

namespace foretrace::runtime {

struct AtomicLock;

// Null if nothing is to be recorded.
AtomicLock* begin_atomic(uint64_t address);
// Records the operation and lets go of the lock.
void end_atomic(AtomicLock* lock, uint64_t address, uint32_t size, Kind kind, SiteRef site);

}  // namespace foretrace::runtime
