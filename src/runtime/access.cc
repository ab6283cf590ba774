// The hooks that the compiler plugin puts before accesses.
#include "runtime/access.h"

#include <algorithm>
#include <cstring>

#include <emmintrin.h>

namespace foretrace::runtime {
namespace {

template <bool kWrite>
constexpr Kind kAccess = kWrite ? Kind::write : Kind::read;
template <bool kWrite>
constexpr Kind kRange = kWrite ? Kind::write_range : Kind::read_range;

// The part of a range that lies in the granule of its first byte.
uint32_t first_part(uint64_t address, uint64_t end) {
  return static_cast<uint32_t>(std::min(end, (address | (kGranuleBytes - 1)) + 1) - address);
}

// ---- long ranges: recorded as a whole, and known as a whole

constexpr uint64_t kLongRange = 128;

// Whether stamps[first … end - 1] has one that is later.
bool any_later(const uint32_t* stamps, uint64_t first, uint64_t end, uint32_t stamp) {
  if (first == 0 && end == kCells) {
    const __m128i mine = _mm_set1_epi32(static_cast<int>(stamp));
    __m128i differences = _mm_setzero_si128();
    for (uint64_t i = 0; i < kCells; i += 4) {
      const __m128i theirs = _mm_load_si128(reinterpret_cast<const __m128i*>(stamps + i));
      differences = _mm_or_si128(differences, _mm_sub_epi32(mine, theirs));
    }
    return _mm_movemask_ps(_mm_castsi128_ps(differences)) != 0;  // one is negative
  }
  for (; first < end; ++first) {
    const uint32_t theirs = __atomic_load_n(stamps + first, __ATOMIC_ACQUIRE);
    if (recording::is_later(theirs, stamp)) return true;
  }
  return false;
}

// Makes them the stamp, but for those that are later.
void mark(uint32_t* stamps, uint64_t first, uint64_t end, uint32_t stamp) {
  if (first == 0 && end == kCells) {
    const __m128i mine = _mm_set1_epi32(static_cast<int>(stamp));
    for (uint64_t i = 0; i < kCells; i += 4) {
      auto* const place = reinterpret_cast<__m128i*>(stamps + i);
      const __m128i theirs = _mm_load_si128(place);
      const __m128i later = _mm_srai_epi32(_mm_sub_epi32(mine, theirs), 31);  // all ones: it is
      _mm_store_si128(place,
                      _mm_or_si128(_mm_and_si128(later, theirs), _mm_andnot_si128(later, mine)));
    }
    return;
  }
  for (; first < end; ++first) {
    if (recording::is_later(__atomic_load_n(stamps + first, __ATOMIC_RELAXED), stamp)) continue;
    __atomic_store_n(stamps + first, stamp, __ATOMIC_RELEASE);
  }
}

// Calls visit(cells, first, end) for the cells of a range, block by block, until it
// returns true.
template <typename Visit>
bool for_each_block(uint64_t address, uint64_t end, Visit visit) {
  constexpr uint64_t kBlockBytes = kCells * kGranuleBytes;
  while (address < end) {
    const uint64_t stop = std::min(end, (address | (kBlockBytes - 1)) + 1);
    if (visit(cells_of(address), cell_in_block(address), cell_in_block(stop - 1) + 1)) return true;
    address = stop;
  }
  return false;
}

template <bool kWrite>
bool range_has_later(uint64_t address, uint64_t end, uint32_t stamp) {
  return for_each_block(address, end, [&](const CellBlock& cells, uint64_t first, uint64_t last) {
    return any_later(cells.write, first, last, stamp) ||
           (kWrite && any_later(cells.read, first, last, stamp));
  });
}

template <bool kWrite>
void record_long_range(Entry& entry, uint64_t address, uint64_t end, SiteRef site) {
  RangeEntry& known = self.ranges[(address >> kGranuleShift) % kRangeEntries];
  if (known.stretch == self.range_stretch && known.address <= address && end <= known.end &&
      (!kWrite || known.wrote) && !range_has_later<kWrite>(address, end, known.stamp)) {
    return;
  }
  if (range_has_later<kWrite>(address, end, self.stamp)) {
    entry.append_stamped(Kind::stamp, 0, 0, nullptr);
  }
  entry.append(kRange<kWrite>, address, 0, site, static_cast<uint32_t>(end - address));
  Entry::settle();  // its bytes are not in the filter, see OpenRun
  // Whoever sees the stamps finds the record in the ring.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  for_each_block(address, end, [&](CellBlock& cells, uint64_t first, uint64_t last) {
    mark(kWrite ? cells.write : cells.read, first, last, self.stamp);
    return false;
  });
  known = {address, end, self.range_stretch, self.stamp, kWrite};
}

// ---- short ranges: known by their granules

// One record for bytes that are all new.
template <bool kWrite>
void record_new(Entry& entry, uint64_t address, uint64_t end, bool clashes, SiteRef site) {
  if (clashes) entry.append_stamped(Kind::stamp, 0, 0, nullptr);
  entry.append(kRange<kWrite>, address, 0, site, static_cast<uint32_t>(end - address));
  const uint32_t record = last_record();
  while (address < end) {
    const uint32_t bytes = first_part(address, end);
    Granule(address, bytes).remember<kWrite>(record);
    address += bytes;
  }
}

// One record for each part of the range that is new as a whole.
template <bool kWrite>
void record_part(Entry& entry, uint64_t address, uint64_t end, SiteRef site) {
  uint64_t start = address;  // of what is new and not yet recorded
  bool clashes = false;
  while (address < end) {
    const uint32_t bytes = first_part(address, end);
    if (is_repeated<kWrite>(address, byte_bits(address, bytes))) {
      if (start < address) record_new<kWrite>(entry, start, address, clashes, site);
      start = address + bytes;
      clashes = false;
    } else {
      clashes = clashes || has_later<kWrite>(address, self.stamp);
    }
    address += bytes;
  }
  if (start < end) record_new<kWrite>(entry, start, end, clashes, site);
}

}  // namespace

template <bool kWrite>
void record_access(uint64_t address, uint32_t size, SiteRef site) {
  Entry entry;
  if (!entry || self.ignoring != 0) return;
  Granule granule(address, size);
  if (granule.needs_stamp<kWrite>()) {
    entry.append_stamped(kAccess<kWrite>, address, size, site);
    return granule.remember<kWrite>(last_record());
  }
  const auto may_join = [&](uint32_t record) { return granule.may_join(record); };
  granule.remember<kWrite>(entry.append_access<kWrite>(address, size, site, may_join));
}

template <bool kWrite>
void record_range(uint64_t address, uint64_t bytes, SiteRef site) {
  Entry entry;
  if (!entry || self.ignoring != 0) return;
  constexpr uint64_t kMost = uint64_t{1} << 30;  // what a record can hold
  const uint64_t end = address + bytes;
  if (bytes < kLongRange) return record_part<kWrite>(entry, address, end, site);
  for (; address < end; address += std::min(end - address, kMost)) {
    record_long_range<kWrite>(entry, address, address + std::min(end - address, kMost), site);
  }
}

template <bool kWrite>
void record_miss(uint64_t address, uint32_t size, SiteRef site) {
  // A program that nobody records should hardly notice that it could be.
  if (!recording_on.load(std::memory_order_relaxed)) return;
  self.frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  if ((address & (kGranuleBytes - 1)) + size > kGranuleBytes) {
    return record_range<kWrite>(address, size, site);
  }
  record_access<kWrite>(address, size, site);
}

template void record_miss<false>(uint64_t, uint32_t, SiteRef);
template void record_miss<true>(uint64_t, uint32_t, SiteRef);
template void record_access<false>(uint64_t, uint32_t, SiteRef);
template void record_access<true>(uint64_t, uint32_t, SiteRef);
template void record_range<false>(uint64_t, uint64_t, SiteRef);
template void record_range<true>(uint64_t, uint64_t, SiteRef);

void forget_accesses(uint64_t address, uint64_t bytes) {
  if (bytes >= kLongRange) begin_range_stretch();
  const uint64_t first = address >> kGranuleShift;
  const uint64_t last = (address + bytes - 1) >> kGranuleShift;
  for (uint64_t granule = first; granule <= last; ++granule) {
    self.filter[granule & (kFilterEntries - 1)].key = 0;
  }
}

}  // namespace foretrace::runtime

using foretrace::runtime::access;
using foretrace::runtime::access_range;
using foretrace::runtime::Site;

#define FORETRACE_HOOK extern "C" __attribute__((visibility("default"))) void

FORETRACE_HOOK __foretrace_read1(const void* p, const Site* site) { access<false, 1>(p, site); }
FORETRACE_HOOK __foretrace_read2(const void* p, const Site* site) { access<false, 2>(p, site); }
FORETRACE_HOOK __foretrace_read4(const void* p, const Site* site) { access<false, 4>(p, site); }
FORETRACE_HOOK __foretrace_read8(const void* p, const Site* site) { access<false, 8>(p, site); }
FORETRACE_HOOK __foretrace_read16(const void* p, const Site* site) { access<false, 16>(p, site); }
FORETRACE_HOOK __foretrace_write1(const void* p, const Site* site) { access<true, 1>(p, site); }
FORETRACE_HOOK __foretrace_write2(const void* p, const Site* site) { access<true, 2>(p, site); }
FORETRACE_HOOK __foretrace_write4(const void* p, const Site* site) { access<true, 4>(p, site); }
FORETRACE_HOOK __foretrace_write8(const void* p, const Site* site) { access<true, 8>(p, site); }
FORETRACE_HOOK __foretrace_write16(const void* p, const Site* site) { access<true, 16>(p, site); }

FORETRACE_HOOK __foretrace_read_range(const void* p, uint64_t bytes, const Site* site) {
  access_range<false>(p, bytes, site);
}
FORETRACE_HOOK __foretrace_write_range(const void* p, uint64_t bytes, const Site* site) {
  access_range<true>(p, bytes, site);
}

// Before a call whose place the runtime wants to know: of a lock, an allocation.
FORETRACE_HOOK __foretrace_call(const Site* site) { foretrace::runtime::self.call_site = site; }

// A string that libc reads, `most` bytes at most.
FORETRACE_HOOK __foretrace_read_string(const char* text, uint64_t most, const Site* site) {
  if (!foretrace::runtime::recording_on.load(std::memory_order_relaxed) || text == nullptr) return;
  const uint64_t length = ::strnlen(text, most);
  __foretrace_read_range(text, std::min(length + 1, most), site);
}

// A string that libc copies, end included. A limit is filled up with zeros.
FORETRACE_HOOK __foretrace_copy_string(char* target, const char* text, uint64_t most,
                                       const Site* site) {
  if (!foretrace::runtime::recording_on.load(std::memory_order_relaxed) || text == nullptr) return;
  __foretrace_write_range(target, most != UINT64_MAX ? most : ::strlen(text) + 1, site);
}
