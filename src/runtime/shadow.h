// For each granule of memory: the effective stamps of the last write and of the
// latest read. An access's effective stamp is the last one that its thread took.
// An access whose thread's stamp is earlier than that of an access it clashes
// with takes a new one; so the recorder puts all clashing accesses into the
// order in which they were recorded, and hardly any access needs a stamp.
#pragma once

#include <atomic>
#include <cstdint>

namespace foretrace::runtime {

inline constexpr uint32_t kGranuleShift = 4;
inline constexpr uint32_t kGranuleBytes = 1U << kGranuleShift;

struct Cell {
  std::atomic<uint32_t> write;
  std::atomic<uint32_t> read;
};
static_assert(sizeof(Cell) == 8);

// Null until map_shadow() succeeds. Addresses that differ only above the mask
// share a cell, which costs stamps but no correctness.
extern Cell* shadow;
extern uint64_t shadow_mask;

bool map_shadow();

inline Cell& cell_of(uint64_t address) { return shadow[(address & shadow_mask) >> kGranuleShift]; }

}  // namespace foretrace::runtime
