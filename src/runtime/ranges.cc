#include "runtime/ranges.h"

#include <algorithm>

#include <emmintrin.h>

namespace foretrace::runtime {
namespace {

template <bool kWrite>
constexpr Kind kStrided = kWrite ? Kind::write_strided : Kind::read_strided;

template <bool kWrite>
void append(const Entry& entry, const Elements& range, SiteRef site) {
  if (range.is_one()) {
    entry.append(kRange<kWrite>, range.address, 0, site,
                 static_cast<uint32_t>(range.end - range.address));
  } else {
    entry.append(kStrided<kWrite>, range.address, range.bytes, site,
                 Record::strided(range.count(), range.stride));
  }
}

// Of fewer elements each is recorded by itself, where it may become part of a run.
constexpr uint64_t kFewElements = 3;

// ---- long ranges: recorded as a whole, and known as a whole

bool is_long(const Elements& range) {
  constexpr uint64_t kGranules = kWholeRange / kGranuleBytes;
  return range.end - range.address >= kGranules * std::max(range.stride, kGranuleBytes);
}

RangeEntry& entry_of(uint64_t address) {
  constexpr uint32_t kShift = 64 - kRangeEntriesShift;
  return self.memory->ranges[(address >> 3) * 0x9E3779B97F4A7C15ULL >> kShift];
}

// Whether the thread has recorded all of them, and nobody has made a clashing access since.
bool is_known(const RangeEntry& known, const Elements& range, bool write) {
  const bool is_in = range.stride == 0 ? known.address <= range.address && range.end <= known.end
                                       : known.address == range.address && range.end == known.end;
  return known.stretch == self.range_stretch && known.stride == range.stride && is_in &&
         (!write || known.wrote) && !have_later(range, known.stamp, write);
}

template <bool kWrite>
void record_whole(const Entry& entry, const Elements& range, SiteRef site) {
  RangeEntry& known = entry_of(range.address);
  if (is_known(known, range, kWrite)) return;
  if (have_later(range, self.stamp, kWrite)) {
    entry.append_stamped(Kind::stamp, 0, 0, nullptr);
  }
  append<kWrite>(entry, range, site);
  Entry::settle();  // its bytes are not in the filter, see OpenRun
  // Whoever sees the stamps finds the record in the ring.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  mark(range, self.stamp, kWrite);
  known = {range.address, range.end, range.stride, self.range_stretch, self.stamp, kWrite};
}

// ---- short ranges: known by their granules

constexpr uint32_t bits_from(uint64_t address) {
  return FilterEntry::kAll << address % kGranuleBytes & FilterEntry::kAll;
}
constexpr uint32_t bits_up_to(uint64_t address) {
  return FilterEntry::kAll >> (kGranuleBytes - 1 - address % kGranuleBytes);
}

// Calls visit(address, bits, count) for the parts of a range, one behind the other: `count`
// granules, from that of the address on, in each of which it has these bytes. Until `visit`
// returns false; whether it has not.
template <typename Visit>
__attribute__((always_inline)) inline bool visit_parts(const Elements& range, Visit visit) {
  if (!range.are_alike_in_granules()) {
    for (uint64_t address = range.address; address < range.end; address += range.stride) {
      const uint32_t bits = byte_bits(address, range.bytes);
      if (!visit(address, bits & FilterEntry::kAll, uint64_t{1})) return false;
      if (bits > FilterEntry::kAll &&
          !visit(address + range.bytes - 1, bits >> kGranuleBytes, uint64_t{1})) {
        return false;
      }
    }
    return true;
  }
  uint32_t bits = FilterEntry::kAll;
  if (range.stride != 0) {
    bits = byte_bits(range.address % range.stride, range.bytes);
    for (uint32_t there = range.stride; there < kGranuleBytes; there *= 2) bits |= bits << there;
  }
  uint64_t address = range.address;
  uint64_t count = (range.end - 1) / kGranuleBytes - address / kGranuleBytes + 1;
  const uint32_t first = bits & bits_from(address);
  const uint32_t last = bits & bits_up_to(range.end - 1);
  if (count == 1) return visit(address, first & last, count);
  if (first != bits) {
    if (!visit(address, first, uint64_t{1})) return false;
    address += kGranuleBytes;
    --count;
  }
  if (last != bits) --count;
  return (count == 0 || visit(address, bits, count)) &&
         (last == bits || visit(range.end - 1, last, uint64_t{1}));
}

// Whether are_repeated() holds for all of so many granules.
template <bool kWrite>
bool are_all_repeated(uint64_t address, uint32_t bits, uint64_t count) {
  if (count == 1) return are_repeated<kWrite>(address, bits);
  const auto two_of = [](const void* numbers) {
    return _mm_loadu_si128(static_cast<const __m128i*>(numbers));
  };
  const auto both = [](uint64_t number) { return _mm_set1_epi64x(static_cast<int64_t>(number)); };
  const __m128i asked = both(FilterEntry::asked<kWrite>(bits));
  const __m128i stamp = _mm_set1_epi32(static_cast<int>(self.stamp));
  constexpr int kClashing = kWrite ? 0b1111 : 0b0101;  // of the numbers of two cells
  while (count > 0) {
    const uint64_t here = std::min(count, self.filter.side_by_side(address));
    if (here == 1) {
      if (!are_repeated<kWrite>(address, bits)) return false;
    } else {
      const __m128i expected = both(FilterEntry::expected(self.filter.tag(address)));
      const FilterEntry* const entries = &self.filter.entry(address);
      const ShadowCell* const cells = &shadow.cell_of(address);
      for (uint64_t i = 0; i < here; i += 2) {
        const uint64_t two = std::min(i, here - 2);
        const __m128i wrong = _mm_and_si128(_mm_xor_si128(two_of(entries + two), expected), asked);
        const __m128i later = _mm_sub_epi32(stamp, two_of(cells + two));  // negative where one is
        if (_mm_movemask_epi8(_mm_cmpeq_epi32(wrong, _mm_setzero_si128())) != 0xFFFF ||
            (_mm_movemask_ps(_mm_castsi128_ps(later)) & kClashing) != 0) {
          return false;
        }
      }
    }
    address += here * kGranuleBytes;
    count -= here;
  }
  return true;
}

template <bool kWrite>
bool is_range_repeated(const Elements& range) {
  return self.filter.is_started() && visit_parts(range, are_all_repeated<kWrite>);
}

// Remembers so many granules, as Granule::remember() does.
template <bool kWrite>
void remember_all(uint64_t address, uint32_t bits, uint64_t count) {
  for (; count > 0; --count, address += kGranuleBytes) {
    Granule(address, Granule::Bits{bits}).remember<kWrite>();
  }
}

// Whether nothing is known of any of their bytes that another record under the same stamp has.
bool are_new(const Elements& range) {
  return visit_parts(range, [](uint64_t address, uint32_t bits, uint64_t count) {
    for (; count > 0 && Granule(address, Granule::Bits{bits}).is_new(); --count) {
      address += kGranuleBytes;
    }
    return count == 0;
  });
}

// Some bytes side by side are an access like others, which may be part of a run.
template <bool kWrite>
void append_bytes(const Entry& entry, uint64_t address, uint32_t bytes, bool are_new,
                  SiteRef site) {
  if (are_new) {
    OpenRun* const run = Entry::run_for<kWrite>(address, site);
    if (run != nullptr && Entry::join<kWrite>(*run, bytes)) return;
  } else if (!kWrite) {
    Entry::close_runs();  // as record_access() does
  }
  entry.append_access<kWrite>(address, bytes, site);
}

// One record for elements, or bytes, none of which is repeated.
template <bool kWrite>
void record_new(const Entry& entry, const Elements& range, SiteRef site) {
  const bool clashes = have_later(range, self.stamp, kWrite);
  if (clashes) entry.append_stamped(Kind::stamp, 0, 0, nullptr);
  if (const uint64_t bytes = range.end - range.address;
      range.is_one() && bytes <= Entry::kMostInAccess) {
    append_bytes<kWrite>(entry, range.address, static_cast<uint32_t>(bytes), are_new(range), site);
  } else {
    append<kWrite>(entry, range, site);
  }
  visit_parts(range, [](uint64_t address, uint32_t bits, uint64_t count) {
    remember_all<kWrite>(address, bits, count);
    return true;
  });
}

// Whether an element, or some bytes of a granule or two, need no record.
template <bool kWrite>
bool is_part_repeated(uint64_t address, uint32_t bytes) {
  const uint32_t bits = byte_bits(address, bytes);
  return Granule(address, Granule::Bits{bits & FilterEntry::kAll}).is_repeated<kWrite>() &&
         (bits <= FilterEntry::kAll ||
          Granule(address + bytes - 1, Granule::Bits{bits >> kGranuleBytes}).is_repeated<kWrite>());
}

// One record for each row of elements, or of granules, that are new.
template <bool kWrite>
void record_parts(const Entry& entry, const Elements& range, SiteRef site) {
  uint64_t start = range.address;  // of what is new and not yet recorded
  uint64_t address = range.address;
  uint64_t end = range.address;  // of the part before
  while (address < range.end) {
    const uint64_t next = range.stride != 0
                              ? address + range.stride
                              : std::min(range.end, (address | (kGranuleBytes - 1)) + 1);
    const uint64_t part_end = range.stride != 0 ? address + range.bytes : next;
    if (is_part_repeated<kWrite>(address, static_cast<uint32_t>(part_end - address))) {
      if (start < address) {
        record_new<kWrite>(entry, {start, end, range.stride, range.bytes}, site);
      }
      start = next;
    }
    end = part_end;
    address = next;
  }
  if (start < range.end) {
    record_new<kWrite>(entry, {start, range.end, range.stride, range.bytes}, site);
  }
}

uint64_t stride_of(int64_t step) { return static_cast<uint64_t>(step < 0 ? -step : step); }

// Of a stride that a record can have.
Elements elements(uint64_t address, int64_t step, uint64_t rounds, uint32_t bytes) {
  const uint64_t stride = stride_of(step);
  const uint64_t between = stride * (rounds - 1);  // the first and the last
  const uint64_t first = step < 0 ? address - between : address;
  if (stride <= bytes) return {first, first + between + bytes, 0, 0};
  return {first, first + between + bytes, static_cast<uint32_t>(stride), bytes};
}

bool are_written(const Elements& range) {
  if (!self.filter.is_started()) return false;
  if (!is_long(range)) return is_range_repeated<true>(range);
  // A write of what steers the loop must be noticed. (Of short ranges the filter forgets it.)
  return !self.memory->steering.overlap(range.address, range.end) &&
         is_known(entry_of(range.address), range, true);
}

// Records elements, or bytes, of which there are not too many for one record.
template <bool kWrite>
void record_elements(const Elements& range, SiteRef site) {
  if (is_range_repeated<kWrite>(range)) return;
  const Entry entry;
  if (!entry || self.ignoring != 0) return;
  if (kWrite) Entry::note_write(range.address, range.end);
  if (is_long(range)) return record_whole<kWrite>(entry, range, site);
  record_parts<kWrite>(entry, range, site);
}

}  // namespace

template <bool kWrite>
void record_range(uint64_t address, uint64_t bytes, SiteRef site) {
  const uint64_t end = address + bytes;
  while (address < end) {
    const uint64_t next = address + std::min(end - address, Entry::kMostBytes);
    record_elements<kWrite>({address, next, 0, 0}, site);
    address = next;
  }
}

template <bool kWrite>
void record_strided(uint64_t address, int64_t step, uint64_t rounds, uint32_t bytes, SiteRef site) {
  if (rounds == 0) return;
  const uint64_t stride = stride_of(step);
  const uint64_t between = stride * (rounds - 1);  // the first and the last
  const uint64_t first = step < 0 ? address - between : address;
  if (stride <= bytes) return record_range<kWrite>(first, between + bytes, site);
  if (stride > Record::kMostStride || rounds < kFewElements) {
    for (; rounds > 0; --rounds, address += static_cast<uint64_t>(step)) {
      if (!is_range_repeated<kWrite>({address, address + bytes, 0, 0})) {
        record_few<kWrite>(address, bytes, site);
      }
    }
    return;
  }
  for (address = first; rounds > 0;) {
    const uint64_t count = std::min(rounds, uint64_t{Record::kMostElements});
    const uint64_t end = address + stride * (count - 1) + bytes;
    record_elements<kWrite>({address, end, static_cast<uint32_t>(stride), bytes}, site);
    address += stride * count;
    rounds -= count;
  }
}

template <bool kWrite>
void record_strided_parts(uint64_t address, int64_t step, uint64_t rounds, uint32_t bytes,
                          const ReadGroup& parts) {
  if (rounds == 0) return;
  if (stride_of(step) <= Record::kMostStride &&
      is_range_repeated<kWrite>(elements(address, step, rounds, bytes))) {
    return;
  }
  for (uint32_t i = 0; i < parts.count; ++i) {
    const GroupMember& part = parts.members[i];
    record_strided<kWrite>(address + part.offset, step, rounds, part.bytes, part.site);
  }
}

bool is_range_written(uint64_t address, uint64_t bytes) {
  return are_written({address, address + bytes, 0, 0});
}

bool is_strided_written(uint64_t address, int64_t step, uint64_t rounds, uint32_t bytes) {
  return rounds > 0 && stride_of(step) <= Record::kMostStride &&
         are_written(elements(address, step, rounds, bytes));
}

template void record_range<false>(uint64_t, uint64_t, SiteRef);
template void record_range<true>(uint64_t, uint64_t, SiteRef);
template void record_strided<false>(uint64_t, int64_t, uint64_t, uint32_t, SiteRef);
template void record_strided<true>(uint64_t, int64_t, uint64_t, uint32_t, SiteRef);
template void record_strided_parts<false>(uint64_t, int64_t, uint64_t, uint32_t, const ReadGroup&);
template void record_strided_parts<true>(uint64_t, int64_t, uint64_t, uint32_t, const ReadGroup&);

}  // namespace foretrace::runtime
