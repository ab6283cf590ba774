#include "runtime/shadow.h"

#include <algorithm>

#include <emmintrin.h>
#include <sys/mman.h>

#include "runtime/layout.h"
#include "runtime/raw_memory.h"

namespace foretrace::runtime {
namespace {

// Of the stamps of two cells those of writes: all ones where they are.
__m128i write_lanes() { return _mm_set_epi32(0, -1, 0, -1); }

bool any_later(const ShadowCell* cells, uint64_t count, uint32_t stamp, bool reads_too) {
  const __m128i mine = _mm_set1_epi32(static_cast<int>(stamp));
  __m128i differences = _mm_setzero_si128();
  uint64_t i = 0;
  for (; i + 2 <= count; i += 2) {
    const __m128i theirs = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells + i));
    differences = _mm_or_si128(differences, _mm_sub_epi32(mine, theirs));
  }
  if (!reads_too) differences = _mm_and_si128(differences, write_lanes());
  bool found = _mm_movemask_ps(_mm_castsi128_ps(differences)) != 0;  // one is negative
  for (; i < count; ++i) {
    found |= recording::is_later(cells[i].write, stamp) ||
             (reads_too && recording::is_later(cells[i].read, stamp));
  }
  return found;
}

// One by one: beside each is a stamp of the other kind, which another thread may set now.
void raise_to(ShadowCell* cells, uint64_t count, uint32_t stamp, bool write) {
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t& known = write ? cells[i].write : cells[i].read;
    if (!recording::is_later(known, stamp)) __atomic_store_n(&known, stamp, __ATOMIC_RELEASE);
  }
}

// Calls visit(first cell, how many) for the cells of a range: one time, or more where
// the shadow covers fewer addresses than there are.
template <typename Visit>
void for_each_cells(uint64_t address, uint64_t end, Visit visit) {
  while (address < end) {
    const uint64_t stop = std::min(end, (address | shadow.mask) + 1);
    ShadowCell* const first = &shadow.cell_of(address);
    visit(first, static_cast<uint64_t>(&shadow.cell_of(stop - 1) + 1 - first));
    address = stop;
  }
}

uint64_t bytes_of_window(uint64_t window) {
  const uint64_t cells =
      (window >> kGranuleShift) + (window >> Shadow::kSkipShift) * Shadow::kSkipped;
  return cells * sizeof(ShadowCell);
}

}  // namespace

Shadow shadow = {};

bool map_shadow() {
  // Only pages that are touched cost memory. Where the address space is limited
  // (ulimit -v), a smaller window does.
  for (uint32_t bits = 44; bits >= 28; bits -= 4) {
    const uint64_t window = uint64_t{1} << bits;
    const uint64_t bytes = bytes_of_window(window);
    void* const memory = raw_mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    // Huge pages would make a few touched cells cost megabytes.
    ::madvise(memory, bytes, MADV_NOHUGEPAGE);
    ::madvise(memory, bytes, MADV_DONTDUMP);
    shadow = {static_cast<ShadowCell*>(memory), window - 1};
    return true;
  }
  return false;
}

void clear_shadow() { ::madvise(shadow.cells, bytes_of_window(shadow.mask + 1), MADV_DONTNEED); }

bool range_has_later(uint64_t address, uint64_t end, uint32_t stamp, bool write) {
  bool found = false;
  for_each_cells(address, end, [&](const ShadowCell* first, uint64_t count) {
    found = found || any_later(first, count, stamp, write);
  });
  return found;
}

void mark_range(uint64_t address, uint64_t end, uint32_t stamp, bool write) {
  for_each_cells(address, end,
                 [&](ShadowCell* first, uint64_t count) { raise_to(first, count, stamp, write); });
}

namespace {

// Calls visit(cell) for the cells of all elements, some of them more than once, until it
// returns false; whether it has not.
template <typename Visit>
bool visit_cells(const Elements& elements, Visit visit) {
  const uint64_t last_byte = elements.bytes - 1;
  const bool are_in_one = elements.stride % kGranuleBytes == 0 &&
                          elements.address % kGranuleBytes + last_byte < kGranuleBytes;
  for (uint64_t address = elements.address; address < elements.end; address += elements.stride) {
    if (!visit(shadow.cell_of(address))) return false;
    if (!are_in_one && !visit(shadow.cell_of(address + last_byte))) return false;
  }
  return true;
}

}  // namespace

bool have_later(const Elements& elements, uint32_t stamp, bool write) {
  if (elements.are_everywhere()) {
    return range_has_later(elements.address, elements.end, stamp, write);
  }
  return !visit_cells(elements, [&](const ShadowCell& cell) {
    return !recording::is_later(__atomic_load_n(&cell.write, __ATOMIC_ACQUIRE), stamp) &&
           (!write || !recording::is_later(__atomic_load_n(&cell.read, __ATOMIC_ACQUIRE), stamp));
  });
}

void mark(const Elements& elements, uint32_t stamp, bool write) {
  if (elements.are_everywhere()) {
    return mark_range(elements.address, elements.end, stamp, write);
  }
  // Some are read before some are written: a processor takes a read for one of what it is about
  // to write where their places in a page are the same, as those of a matrix's columns are.
  constexpr uint32_t kAtOnce = 16;
  uint32_t* numbers[kAtOnce];
  uint32_t count = 0;
  const auto raise = [&] {
    for (uint32_t i = 0; i < count; ++i) __atomic_store_n(numbers[i], stamp, __ATOMIC_RELEASE);
    count = 0;
  };
  visit_cells(elements, [&](ShadowCell& cell) {
    uint32_t& known = write ? cell.write : cell.read;
    numbers[count] = &known;
    if (!recording::is_later(known, stamp)) ++count;
    if (count == kAtOnce) raise();
    return true;
  });
  raise();
}

}  // namespace foretrace::runtime
