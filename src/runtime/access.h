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

// What is known of the bytes of an access that is to be recorded, looked up once.
class Granule {
 public:
  // The bytes are in one granule.
  Granule(uint64_t address, uint32_t size)
      : key_(filter_key(address)),
        bits_(byte_bits(address, size)),
        entry_(filter_entry(address)),
        newest_(self.newest[&entry_ - self.filter]),
        write_cell_(cells_of(address).write[cell_in_block(address)]),
        read_cell_(cells_of(address).read[cell_in_block(address)]),
        write_(__atomic_load_n(&write_cell_, __ATOMIC_ACQUIRE)),
        read_(__atomic_load_n(&read_cell_, __ATOMIC_ACQUIRE)) {}

  // Whether the access must be ordered by a stamp of its own.
  template <bool kWrite>
  bool needs_stamp() const {
    return recording::is_later(write_, self.stamp) ||
           (kWrite && recording::is_later(read_, self.stamp));
  }

  // Whether the access may become part of an earlier record: no later one of the same
  // stamp has its bytes, for all that is known.
  bool may_join(uint32_t record) const {
    if (entry_.key != key_) return !is_touched();
    return (entry_.touched & bits_) == 0 || static_cast<int32_t>(newest_ - record) <= 0;
  }

  // Remembers the access and the place of its record. Called after the record was
  // published: whoever sees the cell finds the record in the ring.
  template <bool kWrite>
  void remember(uint32_t record) {
    // Bytes that were recorded under an older stamp are forgotten: the one stamp of
    // the entry must hold for all of its bytes.
    if (entry_.key != key_ || entry_.stamp != self.stamp) {
      // Another granule took its place here: which of its bytes were recorded is not
      // known any more, so what comes must stay behind it.
      if (is_touched()) Entry::settle();
      entry_ = {key_, self.stamp, 0, 0};
      newest_ = record;
    } else if (static_cast<int32_t>(record - newest_) > 0) {
      newest_ = record;
    }
    // A read may be the latest in time, and not by its place in the order.
    if (kWrite || !recording::is_later(read_, self.stamp)) {
      __atomic_store_n(kWrite ? &write_cell_ : &read_cell_, self.stamp, __ATOMIC_RELEASE);
    }
    entry_.touched = static_cast<uint16_t>(entry_.touched | bits_);
    if (kWrite) entry_.wrote = static_cast<uint16_t>(entry_.wrote | bits_);
  }

 private:
  // Whether the thread has recorded an access of the granule since its last stamp.
  bool is_touched() const { return write_ == self.stamp || read_ == self.stamp; }

  const uint64_t key_;
  const uint32_t bits_;
  FilterEntry& entry_;
  uint32_t& newest_;
  uint32_t& write_cell_;
  uint32_t& read_cell_;
  const uint32_t write_;  // the stamps that were there
  const uint32_t read_;
};

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
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (bytes <= kGranuleBytes && self.filter != nullptr &&
      is_repeated<kWrite>(address, byte_bits(address, static_cast<uint32_t>(bytes)))) {
    return;
  }
  self.frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  record_range<kWrite>(address, bytes, site);
}

// Forgets what this thread recorded of a block of memory, which is a new one.
void forget_accesses(uint64_t address, uint64_t bytes);

}  // namespace foretrace::runtime
