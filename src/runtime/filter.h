// What a thread remembers of the accesses that it recorded, so that each location is
// recorded once in a stretch: the events of a thread between two synchronisations.
#pragma once

#include <cstdint>

#include "runtime/shadow.h"
#include "runtime/site.h"

namespace foretrace::runtime {

// One granule, under one stamp of the thread. One number, so that it is read and written at
// once: the tag in its lower half, then a bit for each byte that was written, and one for each
// that was touched.
class FilterEntry {
 public:
  FilterEntry() = default;
  // With no bytes.
  explicit FilterEntry(uint32_t tag) : bits_(tag) {}

  bool is_unused() const { return bits_ == 0; }
  // The part of the address that its place does not tell, and the epoch (Filter::tag()).
  uint32_t tag() const { return static_cast<uint32_t>(bits_); }
  // Which of some bytes were read or written, and which were written.
  uint32_t touched(uint32_t bytes) const {
    return static_cast<uint32_t>(bits_ >> kTouchedShift) & bytes;
  }
  uint32_t wrote(uint32_t bytes) const {
    return static_cast<uint16_t>(bits_ >> kWroteShift) & bytes;
  }
  // Whether has() holds, under a tag, is whether the entry is, in the bits of asked(), the same as
  // expected().
  static uint64_t expected(uint32_t tag) { return ~uint64_t{0} << 32 | tag; }
  template <bool kWrite>
  static uint64_t asked(uint32_t bytes) {
    return uint64_t{bytes} << (kWrite ? kWroteShift : kTouchedShift) | UINT32_MAX;
  }
  template <bool kWrite>
  bool has(uint32_t bytes) const {
    return (kWrite ? wrote(bytes) : touched(bytes)) == bytes;
  }
  // The same for the bytes of an access; no if it reaches into the next granule.
  template <bool kWrite, uint32_t kSize>
  bool has_access(uint64_t address) const {
    static_assert(kTouchedShift == 64 - kGranuleBytes);  // so 64 takes both kinds of bits away
    constexpr uint32_t kBytes = (1U << kSize) - 1;
    const uint64_t from_there = kWrite ? uint64_t{wrote(kAll)} >> address % kGranuleBytes
                                       : bits_ >> ((kTouchedShift | address) % 64);
    return (from_there & kBytes) == kBytes;
  }
  bool is_only_written() const { return touched(kAll) == wrote(kAll); }

  template <bool kWrite>
  void add(uint32_t bytes) {
    bits_ |= uint64_t{bytes} << kTouchedShift;
    if (kWrite) bits_ |= uint64_t{bytes} << kWroteShift;
  }
  void set_tag(uint32_t tag) { bits_ = bits_ >> 32 << 32 | tag; }
  void forget_writes() { bits_ &= ~(uint64_t{kAll} << kWroteShift); }

  static constexpr uint32_t kAll = 0xFFFF;

 private:
  static constexpr uint32_t kWroteShift = 32;
  static constexpr uint32_t kTouchedShift = 48;

  uint64_t bits_;
};

// Small enough for a cache: entries do not hold stamps but *epochs*, which count the
// stamps of the thread. When there are no more of them, all entries are forgotten and
// it begins again with the first.
class Filter {
 private:
  static constexpr uint32_t kEntriesShift = 18;
  static constexpr uint32_t kEpochBits = 7;
  // Entries that are forgotten together: a line of the cache. A bit says whether one is in use.
  static constexpr uint32_t kLineShift = 3;
  static constexpr uint32_t kBitsShift = 6;

 public:
  static constexpr uint32_t kEntries = 1U << kEntriesShift;  // those never used cost nothing
  static constexpr uint32_t kEpochs = 1U << kEpochBits;      // the first is 1
  // Together, an entry's place and its tag tell 47 bits of an address: all that Linux
  // hands out unless asked for more.
  static constexpr uint32_t kTagShift = kGranuleShift + kEntriesShift - kEpochBits;
  static_assert(kTagShift + 32 == 47);

  struct Memory {
    FilterEntry entries[kEntries];
    FilterEntry behind[ReadGroup::kMostGranules - 1];  // who looks at several finds zeros
    uint64_t used[kEntries >> kLineShift >> kBitsShift];
    uint32_t stamps[kEpochs];
  };

  // `memory` is all zeros, and belongs to the caller.
  void start(Memory* memory) {
    memory_ = memory;
    epoch_ = 0;
    first_ = 1;
  }
  void stop() { memory_ = nullptr; }
  // All is forgotten, in whatever state it was.
  void restart() { clear(); }
  bool is_started() const { return __builtin_expect(memory_ != nullptr, 1); }

  // The thread has taken a stamp.
  void begin_epoch(uint32_t stamp) {
    if (++epoch_ == kEpochs) clear();
    memory_->stamps[epoch_] = stamp;
  }
  // The epoch that has just begun is the first of a stretch.
  void begin_stretch() { first_ = epoch_; }

  FilterEntry& entry(uint64_t address) const { return memory_->entries[place(address)]; }
  // The tag that the entry of an address has if it is of this epoch. Its lowest bits are the
  // epoch, but for bits of the address that are the same for all that has this place and is the
  // same in the other bits: to leave them is quicker.
  uint32_t tag(uint64_t address) const {
    return static_cast<uint32_t>(address >> kTagShift) ^ epoch_;
  }
  // So many bytes have the same, and their entries are side by side, and their shadow cells.
  static constexpr uint64_t kSameTag = uint64_t{1} << kTagShift;
  static_assert(kTagShift == Shadow::kSkipShift);
  // How many granules from an address on have the same tag, and entries side by side.
  uint64_t side_by_side(uint64_t address) const {
    const uint64_t same_tag = (kSameTag - address % kSameTag + kGranuleBytes - 1) / kGranuleBytes;
    const uint64_t to_end = kEntries - place(address);
    return same_tag < to_end ? same_tag : to_end;
  }
  // Whether an entry is of the same granule as `tag`, and of an earlier epoch of this
  // stretch.
  bool is_earlier(FilterEntry entry, uint32_t tag) const {
    const uint32_t epoch = epoch_of(entry, tag);
    return epoch >= first_ && epoch < epoch_;
  }
  // The thread's stamp when it recorded what such an entry says.
  uint32_t stamp(FilterEntry entry, uint32_t tag) const {
    return memory_->stamps[epoch_of(entry, tag)];
  }

  // The entry of an address, which was not, is in use.
  __attribute__((always_inline)) void note_use(uint64_t address) {
    const uint64_t line = place(address) >> kLineShift;
    memory_->used[line >> kBitsShift] |= uint64_t{1} << (line % (1U << kBitsShift));
  }
  void forget(uint64_t address, uint64_t bytes) {
    const uint64_t end = address + bytes;
    for (address &= ~uint64_t{kGranuleBytes - 1}; address < end; address += kGranuleBytes) {
      entry(address) = FilterEntry(0);
    }
  }
  // Of the whole granule.
  void forget_writes(uint64_t address) {
    if ((entry(address).tag() ^ tag(address)) < kEpochs) entry(address).forget_writes();
  }

 private:
  // Neighbours are neighbours here; what is a multiple of the table's size apart, as columns of
  // large matrices are, has different places all the same.
  static uint64_t place(uint64_t address) {
    const uint64_t granule = address >> kGranuleShift;
    return (granule + (granule >> kEntriesShift)) & (kEntries - 1);
  }
  // Of an entry of another granule it is none.
  uint32_t epoch_of(FilterEntry entry, uint32_t tag) const { return entry.tag() ^ tag ^ epoch_; }

  void clear();

  Memory* memory_;  // null until the thread records for the first time
  uint32_t epoch_;
  uint32_t first_;  // the first epoch of the stretch
};

}  // namespace foretrace::runtime
