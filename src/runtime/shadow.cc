#include "runtime/shadow.h"

#include <sys/mman.h>

namespace foretrace::runtime {

CellBlock* shadow = nullptr;
uint64_t shadow_mask = 0;

bool map_shadow() {
  // Only pages that are touched cost memory. Where the address space is limited
  // (ulimit -v), a smaller window does.
  for (uint32_t bits = 44; bits >= 28; bits -= 4) {
    const uint64_t window = uint64_t{1} << bits;
    const uint64_t bytes = (window >> (kGranuleShift + kCellsShift)) * sizeof(CellBlock);
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    // Huge pages would make a few touched cells cost megabytes.
    ::madvise(memory, bytes, MADV_NOHUGEPAGE);
    ::madvise(memory, bytes, MADV_DONTDUMP);
    shadow = static_cast<CellBlock*>(memory);
    shadow_mask = window - 1;
    return true;
  }
  return false;
}

}  // namespace foretrace::runtime
