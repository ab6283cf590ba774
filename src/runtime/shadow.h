// For each granule of memory: the effective stamps of the last write and of the
// latest read. An access's effective stamp is the last one that its thread took.
// An access whose thread's stamp is earlier than that of an access it clashes
// with takes a new one; so the recorder puts all clashing accesses into the
// order in which they were recorded, and hardly any access needs a stamp.
#pragma once

#include <cstdint>

// Of the runtime's own: no detour by the global offset table.
#define FORETRACE_HIDDEN __attribute__((visibility("hidden")))

namespace foretrace::runtime {

inline constexpr uint32_t kGranuleShift = 4;
inline constexpr uint32_t kGranuleBytes = 1U << kGranuleShift;

// Side by side: who looks at one of them mostly needs the other.
struct alignas(8) ShadowCell {
  uint32_t write;
  uint32_t read;
};

struct Shadow {
  static constexpr uint32_t kSkipShift = 15;
  static constexpr uint64_t kSkipped = 8;  // a line of the cache

  // By number_of(). Null until map_shadow() succeeds.
  ShadowCell* cells;
  // Addresses that differ only above the mask share a cell, which costs stamps but no
  // correctness.
  uint64_t mask;

  // Neighbours are neighbours here, and every 32 KB some cells are skipped: what is a power of two
  // apart, as columns of matrices are, has different places in caches all the same. (Who looks at
  // some cells in a row also sees those that were skipped, which may cost a stamp.)
  uint64_t number_of(uint64_t address) const {
    const uint64_t inside = address & mask;
    return (inside >> kGranuleShift) + (inside >> kSkipShift) * kSkipped;
  }
  ShadowCell& cell_of(uint64_t address) const { return cells[number_of(address)]; }
};
extern Shadow shadow FORETRACE_HIDDEN;

bool map_shadow();
// As if nothing had been accessed: in the child of fork() stamps begin anew.
void clear_shadow();

// Whether one of the bytes from `address` to `end` has a clashing access with a later
// stamp: for a write any other, for a read another write.
bool range_has_later(uint64_t address, uint64_t end, uint32_t stamp, bool write);
// All of them were accessed under a stamp. Later ones stay.
void mark_range(uint64_t address, uint64_t end, uint32_t stamp, bool write);

// Bytes from `address` to `end`: elements of 16 bytes at most, that begin `stride` bytes from
// each other; or, with a stride of 0, all of them.
struct Elements {
  uint64_t address;
  uint64_t end;
  uint32_t stride;
  uint32_t bytes;  // of each; 0 if they are all

  uint64_t count() const { return (end - address - bytes) / stride + 1; }
  // Whether that is all bytes, or only one element.
  bool is_one() const { return stride == 0 || end - address <= stride; }
  // Whether there is one in each granule.
  bool are_everywhere() const { return stride <= kGranuleBytes; }
  // Whether they are the same bytes of each granule, but for the first and the last.
  bool are_alike_in_granules() const {
    return stride == 0 || (kGranuleBytes % stride == 0 && address % stride + bytes <= stride);
  }
};
// The same for their bytes.
bool have_later(const Elements& elements, uint32_t stamp, bool write);
void mark(const Elements& elements, uint32_t stamp, bool write);

}  // namespace foretrace::runtime
