// For each granule of memory: the effective stamps of the last write and of the
// latest read. An access's effective stamp is the last one that its thread took.
// An access whose thread's stamp is earlier than that of an access it clashes
// with takes a new one; so the recorder puts all clashing accesses into the
// order in which they were recorded, and hardly any access needs a stamp.
#pragma once

#include <cstdint>

namespace foretrace::runtime {

inline constexpr uint32_t kGranuleShift = 4;
inline constexpr uint32_t kGranuleBytes = 1U << kGranuleShift;

// The stamps of 16 granules; those of one kind lie together, so that ranges can be
// looked at and marked several at a time.
inline constexpr uint32_t kCellsShift = 4;
inline constexpr uint64_t kCells = 1U << kCellsShift;
struct CellBlock {
  alignas(64) uint32_t write[kCells];
  uint32_t read[kCells];
};
static_assert(sizeof(CellBlock) == 8 * kCells);

// Null until map_shadow() succeeds. Addresses that differ only above the mask
// share a cell, which costs stamps but no correctness.
extern CellBlock* shadow;
extern uint64_t shadow_mask;

bool map_shadow();

inline CellBlock& cells_of(uint64_t address) {
  return shadow[(address & shadow_mask) >> (kGranuleShift + kCellsShift)];
}
inline uint64_t cell_in_block(uint64_t address) { return address >> kGranuleShift & (kCells - 1); }

}  // namespace foretrace::runtime
