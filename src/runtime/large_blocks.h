// The large blocks of memory that the program has: what starts from a pointer into one of them is
// other memory than what starts from elsewhere.
#pragma once

#include <cstdint>

namespace foretrace::runtime {

// Smaller ones are not known.
inline constexpr uint64_t kKnownBlock = 16 << 10;

void begin_large_block(uint64_t address, uint64_t bytes);
void end_large_block(uint64_t address);

// False only if one of the addresses is in a block and the other is not.
bool may_be_in_one_block(uint64_t one, uint64_t other);

}  // namespace foretrace::runtime
