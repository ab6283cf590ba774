// Accesses to memory: what is recorded of them, and in which order.
#pragma once

#include <cstdint>

#include <emmintrin.h>

#include "runtime/recorder.h"
#include "runtime/shadow.h"

namespace foretrace::runtime {

// The bytes of the granule that an access touches, one bit each.
inline uint32_t byte_bits(uint64_t address, uint32_t size) {
  return ((1U << size) - 1) << (address & (kGranuleBytes - 1));
}

// Whether an access that clashes with this one has a later stamp.
template <bool kWrite>
inline bool has_later(uint64_t address, uint32_t stamp) {
  const ShadowCell& cell = shadow.cell_of(address);
  return recording::is_later(__atomic_load_n(&cell.write, __ATOMIC_ACQUIRE), stamp) ||
         (kWrite && recording::is_later(__atomic_load_n(&cell.read, __ATOMIC_ACQUIRE), stamp));
}

// Whether the thread has recorded such an access since its last stamp and nobody has
// made a clashing one since. What hooks look at first.
template <bool kWrite, uint32_t kSize>
inline bool is_repeated(uint64_t address) {
  const FilterEntry entry = self.filter.entry(address);
  return entry.tag() == self.filter.tag(address) && entry.has_access<kWrite, kSize>(address) &&
         !has_later<kWrite>(address, self.stamp);
}

// The same for any bytes of a granule.
template <bool kWrite>
inline bool are_repeated(uint64_t address, uint32_t bits) {
  const FilterEntry entry = self.filter.entry(address);
  return entry.tag() == self.filter.tag(address) && entry.has<kWrite>(bits) &&
         !has_later<kWrite>(address, self.stamp);
}

// What is known of the bytes of an access, looked up once.
class Granule {
 public:
  // The bytes are in one granule.
  __attribute__((always_inline)) Granule(uint64_t address, uint32_t size)
      : Granule(address, Bits{byte_bits(address, size)}) {}
  struct Bits {
    uint32_t of_bytes;
  };
  __attribute__((always_inline)) Granule(uint64_t address, Bits bits)
      : address_(address),
        bits_(bits.of_bytes),
        tag_(self.filter.tag(address)),
        known_(self.filter.entry(address)),
        cell_(shadow.cell_of(address)),
        write_(__atomic_load_n(&cell_.write, __ATOMIC_ACQUIRE)),
        read_(__atomic_load_n(&cell_.read, __ATOMIC_ACQUIRE)) {}

  // Whether it is_repeated(), also if that was before the last stamp in this stretch.
  template <bool kWrite>
  bool is_repeated() {
    if (known_.tag() == tag_) return known_.has<kWrite>(bits_) && !needs_stamp<kWrite>();
    if (!self.filter.is_earlier(known_, tag_) || !known_.has<kWrite>(bits_)) return false;
    const uint32_t stamp = self.filter.stamp(known_, tag_);
    if (clashes<kWrite>(stamp)) return false;
    if (clashes<true>(stamp)) known_.forget_writes();  // others have read since
    carry_over();
    return true;
  }

  // Whether something is known of the granule from before the last stamp in this stretch.
  __attribute__((always_inline)) bool is_earlier() const {
    return known_.tag() != tag_ && self.filter.is_earlier(known_, tag_);
  }

  // Whether the thread has recorded the access since its last stamp.
  template <bool kWrite>
  bool has() const {
    return known_.tag() == tag_ && known_.has<kWrite>(bits_);
  }

  // Whether the access must be ordered by a stamp of its own.
  template <bool kWrite>
  bool needs_stamp() const {
    return clashes<kWrite>(self.stamp);
  }

  // Whether this is the first access of its bytes since the last stamp, and needs none.
  template <bool kWrite>
  bool is_plain() const {
    return is_new() && !is_earlier() && !needs_stamp<kWrite>();
  }

  // Whether no record under the same stamp has its bytes, for all that is known.
  __attribute__((always_inline)) bool is_new() const {
    if (known_.tag() == tag_) return known_.touched(bits_) == 0;
    return write_ != self.stamp && read_ != self.stamp;
  }
  // Whether the records under the same stamp that have its bytes are reads.
  bool is_only_read() const { return known_.tag() == tag_ && known_.wrote(bits_) == 0; }

  // Remembers the access. Called after its record was published: whoever sees the cell
  // finds the record in the ring.
  template <bool kWrite>
  __attribute__((always_inline)) void remember() {
    // Bytes that were recorded under an older stamp are forgotten: the one stamp of
    // the entry must hold for all of its bytes.
    if (known_.tag() != tag_) {
      if (known_.is_unused()) self.filter.note_use(address_);
      known_ = FilterEntry(tag_);
    }
    known_.add<kWrite>(bits_);
    self.filter.entry(address_) = known_;
    mark<kWrite>();
  }

 private:
  template <bool kWrite>
  bool clashes(uint32_t stamp) const {
    return recording::is_later(write_, stamp) || (kWrite && recording::is_later(read_, stamp));
  }

  template <bool kWrite>
  __attribute__((always_inline)) void mark() const {
    // A read may be the latest in time, and not by its place in the order.
    if (kWrite) {
      __atomic_store_n(&cell_.write, self.stamp, __ATOMIC_RELEASE);
    } else if (!recording::is_later(read_, self.stamp)) {
      __atomic_store_n(&cell_.read, self.stamp, __ATOMIC_RELEASE);
    }
  }

  // Makes the entry one of the last stamp: as if its bytes had been accessed after it.
  // That may only lead others to take stamps that they would not need.
  void carry_over() {
    if (!known_.is_only_written()) mark<false>();
    if (known_.wrote(FilterEntry::kAll) != 0) mark<true>();
    known_.set_tag(tag_);
    self.filter.entry(address_) = known_;
  }

  const uint64_t address_;
  const uint32_t bits_;
  const uint32_t tag_;
  FilterEntry known_;  // what was there, and so were the stamps
  ShadowCell& cell_;
  const uint32_t write_;
  const uint32_t read_;
};

// Records an access within one granule, if it is not repeated.
template <bool kWrite>
void record_access(uint64_t address, uint32_t size, SiteRef site);
// Records an access of any number of bytes (ranges.h).
template <bool kWrite>
void record_range(uint64_t address, uint64_t bytes, SiteRef site);

// Records one of a few bytes, in one granule or two.
template <bool kWrite>
inline void record_few(uint64_t address, uint32_t size, SiteRef site) {
  if ((address & (kGranuleBytes - 1)) + size > kGranuleBytes) {
    return record_range<kWrite>(address, size, site);
  }
  record_access<kWrite>(address, size, site);
}

// Records an access of a few bytes that may be repeated or not. Hooks jump to this
// (a call in tail position), so its frame is where theirs would be.
template <bool kWrite>
__attribute__((noinline)) void record_miss(uint64_t address, uint32_t size, SiteRef site);

// The same for a read and a write.
__attribute__((noinline)) void record_update(uint64_t address, uint32_t size, UpdateSites sites);

// These are part of the hooks, whose frame is noted.
template <bool kWrite, uint32_t kSize>
__attribute__((always_inline)) inline void access(const void* pointer, SiteRef site) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (self.filter.is_started() && is_repeated<kWrite, kSize>(address)) return;
  record_miss<kWrite>(address, kSize, site);
}

// What that comes to where a loop goes on as it did, or the access is repeated. False: it may be
// otherwise.
template <bool kWrite, uint32_t kSize>
__attribute__((always_inline)) inline bool pass_or_continue_loop(uint64_t address, SiteRef site) {
  if (address % kGranuleBytes + kSize > kGranuleBytes) return false;
  const uint32_t bits = kSize == kGranuleBytes ? FilterEntry::kAll : byte_bits(address, kSize);
  Granule granule(address, Granule::Bits{bits});
  if (granule.is_earlier() || granule.needs_stamp<kWrite>()) return false;
  if (granule.has<kWrite>()) return true;
  const LastRun* const last = Entry::last_run_for<kWrite>(address, site);
  if (last == nullptr || (kWrite && self.memory->steering.may_be_at(address))) return false;
  const bool may_join = granule.is_new() || (kWrite && granule.is_only_read() &&
                                             Entry::has_reads_before(*last, address, kSize));
  if (!may_join) return false;
  Entry::continue_run(*last->run, kSize);
  granule.remember<kWrite>();
  return true;
}

// As Entry, with less to save: a signal handler must find all as it was or as it will be. Whether
// it could be done.
template <typename Do>
__attribute__((always_inline)) inline bool do_at_once(Do what) {
  if (self.memory == nullptr || self.busy != 0 || (self.ignoring | self.hidden) != 0) return false;
  self.busy = stack_pointer();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool done = what();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // If it was not done, whoever does it records what is waiting first.
  if (Entry::leave() && done) Entry::write_waiting();
  return done;
}

// access() where the site is foreseen in its loop: there it is most often a new one.
template <bool kWrite, uint32_t kSize>
__attribute__((always_inline)) inline void access_foreseen(const void* pointer, SiteRef site) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (do_at_once([&]() __attribute__((always_inline)) {
        return pass_or_continue_loop<kWrite, kSize>(address, site);
      }))
    return;
  record_miss<kWrite>(address, kSize, site);
}

// The same for a read and a write of the same bytes. Where the write is repeated, so is the read.
template <uint32_t kSize>
__attribute__((always_inline)) inline void update(const void* pointer, UpdateSites sites) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (self.filter.is_started() && is_repeated<true, kSize>(address)) return;
  record_update(address, kSize, sites);
}

// Both would be part of the runs that their sites added to last, that of the reads in front of
// that of the writes.
template <uint32_t kSize>
__attribute__((always_inline)) inline bool pass_or_continue_both(uint64_t address,
                                                                 UpdateSites sites) {
  if (address % kGranuleBytes + kSize > kGranuleBytes) return false;
  const uint32_t bits = kSize == kGranuleBytes ? FilterEntry::kAll : byte_bits(address, kSize);
  Granule granule(address, Granule::Bits{bits});
  if (granule.is_earlier() || granule.needs_stamp<true>()) return false;
  if (granule.has<true>()) return true;
  const LastRun* const reads = Entry::last_run_for<false>(address, sites.read());
  const LastRun* const writes = Entry::last_run_for<true>(address, sites.write());
  if (reads == nullptr || writes == nullptr || writes->reads != reads->run ||
      writes->reads_record != reads->record || !granule.is_new() ||
      self.memory->steering.may_be_at(address)) {
    return false;
  }
  Entry::continue_run(*reads->run, kSize);
  Entry::continue_run(*writes->run, kSize);
  granule.remember<true>();
  return true;
}

template <uint32_t kSize>
__attribute__((always_inline)) inline void update_foreseen(const void* pointer, UpdateSites sites) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (do_at_once([&]() __attribute__((always_inline)) {
        return pass_or_continue_both<kSize>(address, sites);
      }))
    return;
  record_update(address, kSize, sites);
}

// Of some bytes, which have a bit each from `address` on, those in each granule: an address in
// it, and their bits there. Until `visit` returns false; whether it has not.
template <typename Visit>
__attribute__((always_inline)) inline bool visit_granules(uint64_t address, uint64_t bytes,
                                                          Visit visit) {
  const uint64_t in_front = address % kGranuleBytes;
  auto here = static_cast<uint32_t>(bytes << in_front) & FilterEntry::kAll;
  bytes >>= kGranuleBytes - in_front;
  for (;;) {
    if (!visit(address, here)) return false;
    if (bytes == 0) return true;
    const auto empty = static_cast<uint32_t>(__builtin_ctzll(bytes)) & ~(kGranuleBytes - 1);
    address += empty + kGranuleBytes;
    here = static_cast<uint32_t>(bytes >> empty) & FilterEntry::kAll;
    bytes = bytes >> empty >> kGranuleBytes;
  }
}

// Whether all of a group is_repeated().
inline bool is_group_repeated(uint64_t address, uint64_t bytes) {
  return visit_granules(address, bytes, are_repeated<false>);
}

// The same at once, for addresses that most objects have. False: it may be otherwise.
__attribute__((always_inline)) inline bool is_group_surely_repeated(uint64_t address,
                                                                    const ReadGroup& group) {
  constexpr auto kMostBytes = uint64_t{ReadGroup::kMostGranules} * kGranuleBytes;
  constexpr uint64_t kHalf = kGranuleBytes / 2;
  if (address % kHalf != 0 || address % Filter::kSameTag > Filter::kSameTag - kMostBytes) {
    return false;
  }
  const uint64_t* const must_agree = group.must_agree[address / kHalf % 2];
  const auto two_of = [](const void* numbers) {
    return _mm_loadu_si128(static_cast<const __m128i*>(numbers));
  };
  const FilterEntry* const entries = &self.filter.entry(address);
  const __m128i expected =
      _mm_set1_epi64x(static_cast<int64_t>(FilterEntry::expected(self.filter.tag(address))));
  const auto differences = [&](int granule) {
    return _mm_and_si128(_mm_xor_si128(two_of(entries + granule), expected),
                         two_of(must_agree + granule));
  };
  const ShadowCell* const cells = &shadow.cell_of(address);
  const __m128i stamp = _mm_set1_epi32(static_cast<int>(self.stamp));
  const auto later = [&](int granule) { return _mm_sub_epi32(stamp, two_of(cells + granule)); };
  const __m128i same =
      _mm_cmpeq_epi32(_mm_or_si128(differences(0), differences(2)), _mm_setzero_si128());
  const __m128i any_later = _mm_or_si128(later(0), later(2));  // negative where one is
  constexpr int kWrites = 0b0101;                              // of the numbers of two cells
  return _mm_movemask_epi8(same) == 0xFFFF &&
         (_mm_movemask_ps(_mm_castsi128_ps(any_later)) & kWrites) == 0;
}

// Records those of a group that are not repeated.
__attribute__((noinline)) void record_group(uint64_t address, uint64_t bytes, ReadGroup& group);

// A read of a variable that steers the loop that the thread is in: for the first time in it,
// or it was not what it was the last time.
void steering_read(uint64_t address, uint64_t bytes, SiteRef site);

// Forgets what this thread recorded of a block of memory, which is a new one.
void forget_accesses(uint64_t address, uint64_t bytes);

}  // namespace foretrace::runtime
