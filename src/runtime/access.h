// Accesses to memory: what is recorded of them, and in which order.
#pragma once

#include <cstdint>

#include "runtime/recorder.h"
#include "runtime/shadow.h"

namespace foretrace::runtime {

// An address has 48 bits at most: the stretch goes into the bits that it does not
// use.
inline uint64_t filter_key(uint64_t address) {
  return (address & ~uint64_t{kGranuleBytes - 1}) ^ self.stretch_key;
}

inline FilterEntry& filter_entry(uint64_t address) {
  return self.filter[(address >> kGranuleShift) & (kFilterEntries - 1)];
}

// The bytes of the granule that an access touches, one bit each.
inline uint32_t byte_bits(uint64_t address, uint32_t size) {
  return ((1U << size) - 1) << (address & (kGranuleBytes - 1));
}

// Whether an access that clashes with this one has a later stamp.
template <bool kWrite>
inline bool has_later(uint64_t address, uint32_t stamp) {
  const CellBlock& cells = cells_of(address);
  const uint64_t cell = cell_in_block(address);
  return recording::is_later(__atomic_load_n(&cells.write[cell], __ATOMIC_ACQUIRE), stamp) ||
         (kWrite &&
          recording::is_later(__atomic_load_n(&cells.read[cell], __ATOMIC_ACQUIRE), stamp));
}

// Whether the thread has recorded such an access in this stretch and nobody has
// made a clashing one since.
template <bool kWrite>
inline bool is_repeated(uint64_t address, uint32_t bits) {
  const FilterEntry& entry = filter_entry(address);
  if (entry.key != filter_key(address)) return false;
  if (((kWrite ? entry.wrote : entry.touched) & bits) != bits) return false;
  return !has_later<kWrite>(address, entry.stamp);
}

// Whether an access must be ordered by a stamp of its own.
template <bool kWrite>
inline bool needs_stamp(uint64_t address) {
  return has_later<kWrite>(address, self.stamp);
}

// Whether the thread has recorded an access of the granule since its last stamp.
inline bool is_touched(uint64_t address) {
  const CellBlock& cells = cells_of(address);
  const uint64_t cell = cell_in_block(address);
  return __atomic_load_n(&cells.read[cell], __ATOMIC_RELAXED) == self.stamp ||
         __atomic_load_n(&cells.write[cell], __ATOMIC_RELAXED) == self.stamp;
}

// Whether an access may become part of an earlier record: no later one of the same
// stamp has its bytes, for all that is known.
__attribute__((always_inline)) inline bool may_join(uint32_t record, uint64_t address,
                                                    uint32_t bits) {
  const FilterEntry& entry = filter_entry(address);
  if (entry.key != filter_key(address)) return !is_touched(address);
  return (entry.touched & bits) == 0 ||
         static_cast<int32_t>(self.newest[&entry - self.filter] - record) <= 0;
}

// Remembers an access and the place of its record. Called after the record was
// published: whoever sees the cell finds the record in the ring.
template <bool kWrite>
__attribute__((always_inline)) inline void remember(uint64_t address, uint32_t bits,
                                                    uint32_t record) {
  FilterEntry& entry = filter_entry(address);
  uint32_t& newest = self.newest[&entry - self.filter];
  // Bytes that were recorded under an older stamp are forgotten: the one stamp of
  // the entry must hold for all of its bytes.
  if (entry.key != filter_key(address) || entry.stamp != self.stamp) {
    // Another granule took its place here: which of its bytes were recorded is not
    // known any more, so what comes must stay behind it.
    if (is_touched(address)) Entry::settle();
    entry = {filter_key(address), self.stamp, 0, 0};
    newest = record;
  }
  if (static_cast<int32_t>(record - newest) > 0) newest = record;
  CellBlock& cells = cells_of(address);
  uint32_t* const cell = (kWrite ? cells.write : cells.read) + cell_in_block(address);
  // A read may be the latest by its place in the order, and not by that in time.
  if (!recording::is_later(__atomic_load_n(cell, __ATOMIC_RELAXED), self.stamp)) {
    __atomic_store_n(cell, self.stamp, __ATOMIC_RELEASE);
  }
  entry.touched = static_cast<uint16_t>(entry.touched | bits);
  if (kWrite) entry.wrote = static_cast<uint16_t>(entry.wrote | bits);
}

// Records an access within one granule, if it is not repeated.
template <bool kWrite>
void record_access(uint64_t address, uint32_t size, SiteRef site);
// Records an access of any number of bytes.
template <bool kWrite>
void record_range(uint64_t address, uint64_t bytes, SiteRef site);

// Records an access of a few bytes that may be repeated or not. Hooks jump to this
// (a call in tail position), so its frame is where theirs would be.
template <bool kWrite>
__attribute__((noinline)) void record_miss(uint64_t address, uint32_t size, SiteRef site);

// Both are part of the hooks, whose frame they note.
template <bool kWrite, uint32_t kSize>
__attribute__((always_inline)) inline void access(const void* pointer, SiteRef site) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  // An access that reaches into the next granule has bits that no entry has.
  if (__builtin_expect(self.filter != nullptr, 1) &&
      is_repeated<kWrite>(address, byte_bits(address, kSize))) {
    return;
  }
  record_miss<kWrite>(address, kSize, site);
}

template <bool kWrite>
__attribute__((always_inline)) inline void access_range(const void* pointer, uint64_t bytes,
                                                        SiteRef site) {
  if (bytes == 0 || !recording_on.load(std::memory_order_relaxed)) return;
  self.frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  record_range<kWrite>(reinterpret_cast<uint64_t>(pointer), bytes, site);
}

// Forgets what this thread recorded of a block of memory, which is a new one.
void forget_accesses(uint64_t address, uint64_t bytes);

}  // namespace foretrace::runtime
