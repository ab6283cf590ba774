// The large blocks of memory that the program has: what is accessed from a pointer into one of them
// is in that block.
#pragma once

#include <cstdint>

namespace foretrace::runtime {

// Smaller ones are not known.
inline constexpr uint64_t kKnownBlock = 16 << 10;

void begin_large_block(uint64_t address, uint64_t bytes);
void end_large_block(uint64_t address);
// In the child of fork(): who was changing them is not there, so none is known any more.
void release_large_blocks();

// Whether some of a range's bytes may be in the block that a pointer belongs to: one from which
// accesses start, wherever they lie. False only if that is surely not so.
bool may_reach(uint64_t pointer, uint64_t first, uint64_t end);

}  // namespace foretrace::runtime
