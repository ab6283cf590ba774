// What a thread remembers of what it recorded.
#pragma once

#include <cstdint>

#include "runtime/filter.h"
#include "runtime/open_runs.h"
#include "runtime/steering_reads.h"
#include "runtime/waiting_syncs.h"

namespace foretrace::runtime {

// What a thread remembers of the ranges that it recorded as a whole.
struct RangeEntry {
  uint64_t address;
  uint64_t end;
  uint32_t stride;   // between the beginnings of elements; 0: all of its bytes
  uint32_t stretch;  // Thread::range_stretch when it recorded; 0: none
  uint32_t stamp;
  bool wrote;
};
inline constexpr uint32_t kRangeEntriesShift = 9;
inline constexpr uint32_t kRangeEntries = 1U << kRangeEntriesShift;

// The last atomic operation on some address that a thread recorded.
struct AtomicLook {
  uint64_t address;
  uint32_t stamp;
  uint32_t stretch;    // Thread::range_stretch then,
  uint32_t forgotten;  // and Thread::forgotten
  uint32_t size;
  bool orders;  // or saw what one had seen that did, or wrote it: to acquire it brings no more
};
inline constexpr uint32_t kAtomicLooksShift = 6;

// A site of records that no accesses are, and a stack that led there.
struct PlacedSite {
  uint32_t site;
  uint32_t stack;
  uint32_t number;  // of both together (recording::kPlacedSite); 0 until it is seen again
};
inline constexpr uint32_t kPlacedSites = 64;

// What a thread needs to record, in one mapping.
struct alignas(4096) ThreadMemory {
  Filter::Memory filter;
  OpenRuns reads;
  OpenRuns writes;
  LastRuns last_reads;
  LastRuns last_writes;
  SteeringReads steering;
  RangeEntry ranges[kRangeEntries];
  AtomicLook atomics[1U << kAtomicLooksShift];
  PlacedSite placed[kPlacedSites];
  WaitingSyncs waiting;
};

// For the thread with this number in its process, all zeros; null if there is no memory.
ThreadMemory* map_thread_memory(uint32_t thread);
void unmap_thread_memory(ThreadMemory* memory);

}  // namespace foretrace::runtime
