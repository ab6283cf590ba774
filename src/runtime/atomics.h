// Atomic operations: begin_atomic() before the operation, end_atomic() after it.
#pragma once

#include <cstdint>

#include "runtime/recorder.h"

namespace foretrace::runtime {

struct AtomicLock;

// An operation on memory, without its order.
enum class Operation { read, write, update };
// The record for it.
constexpr Kind kind_of(Operation operation, bool relaxed) {
  switch (operation) {
    case Operation::read:
      return relaxed ? Kind::relaxed_read : Kind::atomic_read;
    case Operation::write:
      return relaxed ? Kind::relaxed_write : Kind::atomic_write;
    default:
      return relaxed ? Kind::relaxed_update : Kind::atomic_update;
  }
}

// A fence for threads: with it, relaxed operations may order.
void record_fence();

// Null if nothing is to be recorded.
AtomicLock* begin_atomic(uint64_t address);
// Records the operation and lets go of the lock.
void end_atomic(AtomicLock* lock, uint64_t address, uint32_t size, Kind kind, SiteRef site);

class Jump;
// What a jump leaves is over.
void abandon_atomics(const Jump& jump);

// In the child of fork(): the threads that held locks are not there.
void release_atomic_locks();

}  // namespace foretrace::runtime
