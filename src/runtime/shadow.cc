#include "runtime/shadow.h"

#include <algorithm>

#include <emmintrin.h>
#include <sys/mman.h>

#include "runtime/layout.h"
#include "runtime/raw_memory.h"

namespace foretrace::runtime {
namespace {

bool any_later(const uint32_t* stamps, uint64_t count, uint32_t stamp) {
  const __m128i mine = _mm_set1_epi32(static_cast<int>(stamp));
  __m128i differences = _mm_setzero_si128();
  uint64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m128i theirs = _mm_loadu_si128(reinterpret_cast<const __m128i*>(stamps + i));
    differences = _mm_or_si128(differences, _mm_sub_epi32(mine, theirs));
  }
  bool found = _mm_movemask_ps(_mm_castsi128_ps(differences)) != 0;  // one is negative
  for (; i < count; ++i) found |= recording::is_later(stamps[i], stamp);
  return found;
}

void raise_to(uint32_t* stamps, uint64_t count, uint32_t stamp) {
  const __m128i mine = _mm_set1_epi32(static_cast<int>(stamp));
  uint64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    auto* const place = reinterpret_cast<__m128i*>(stamps + i);
    const __m128i theirs = _mm_loadu_si128(place);
    const __m128i later = _mm_srai_epi32(_mm_sub_epi32(mine, theirs), 31);  // all ones: it is
    _mm_storeu_si128(place,
                     _mm_or_si128(_mm_and_si128(later, theirs), _mm_andnot_si128(later, mine)));
  }
  for (; i < count; ++i) {
    if (!recording::is_later(stamps[i], stamp)) stamps[i] = stamp;
  }
}

// Calls visit(first cell, how many) for the cells of a range: one time, or more where
// the shadow covers fewer addresses than there are.
template <typename Visit>
void for_each_cells(uint64_t address, uint64_t end, Visit visit) {
  while (address < end) {
    const uint64_t stop = std::min(end, (address | shadow.mask) + 1);
    visit(shadow.cell_of(address), shadow.cell_of(stop - 1) + 1 - shadow.cell_of(address));
    address = stop;
  }
}

}  // namespace

Shadow shadow = {};

bool map_shadow() {
  // Only pages that are touched cost memory. Where the address space is limited
  // (ulimit -v), a smaller window does.
  for (uint32_t bits = 44; bits >= 28; bits -= 4) {
    const uint64_t window = uint64_t{1} << bits;
    const uint64_t cells = window >> kGranuleShift;
    const uint64_t bytes = 2 * cells * sizeof(uint32_t);
    void* const memory = raw_mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    // Huge pages would make a few touched cells cost megabytes.
    ::madvise(memory, bytes, MADV_NOHUGEPAGE);
    ::madvise(memory, bytes, MADV_DONTDUMP);
    auto* const stamps = static_cast<uint32_t*>(memory);
    shadow = {stamps, stamps + cells, window - 1};
    return true;
  }
  return false;
}

bool range_has_later(uint64_t address, uint64_t end, uint32_t stamp, bool write) {
  bool found = false;
  for_each_cells(address, end, [&](uint64_t first, uint64_t count) {
    found = found || any_later(shadow.write_stamps + first, count, stamp) ||
            (write && any_later(shadow.read_stamps + first, count, stamp));
  });
  return found;
}

void mark_range(uint64_t address, uint64_t end, uint32_t stamp, bool write) {
  for_each_cells(address, end, [&](uint64_t first, uint64_t count) {
    raise_to((write ? shadow.write_stamps : shadow.read_stamps) + first, count, stamp);
  });
}

}  // namespace foretrace::runtime
