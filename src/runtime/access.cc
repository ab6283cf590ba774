// The hooks that the compiler plugin puts before accesses.
#include "runtime/access.h"

#include <algorithm>
#include <cstring>

#include "runtime/compared.h"
#include "runtime/large_blocks.h"
#include "runtime/number_text.h"
#include "runtime/ranges.h"

namespace foretrace::runtime {
namespace {

template <bool kWrite>
constexpr Kind kAccess = kWrite ? Kind::write : Kind::read;

// Whether an access may stand where an open run does: no record since then has its bytes.
template <bool kWrite>
bool may_join(const Granule& granule, const OpenRun& run, uint64_t address, uint32_t size) {
  return granule.is_new() ||
         (kWrite && granule.is_only_read() && Entry::reads_before(run, address, size) != nullptr);
}

// Makes it part of an open run, if there is one that it goes on.
template <bool kWrite>
bool join_run(const Granule& granule, uint64_t address, uint32_t size, SiteRef site) {
  OpenRun* const run = Entry::run_ending_at<kWrite>(address, site);
  if (run == nullptr) return false;
  if (Entry::is_here(*run)) {
    return may_join<kWrite>(granule, *run, address, size) && Entry::join<kWrite>(*run, size);
  }
  return granule.is_new() && Entry::is_lone_here(*run, kAccess<kWrite>) &&
         Entry::join_lone<kWrite>(*run, size);
}

}  // namespace

template <bool kWrite>
void record_access(uint64_t address, uint32_t size, SiteRef site) {
  const Entry entry;
  if (!entry || self.ignoring != 0) return;
  Granule granule(address, size);
  if (granule.is_repeated<kWrite>()) return;
  if (kWrite && self.memory->steering.may_be_at(address))
    Entry::note_write(address, address + size);
  if (granule.needs_stamp<kWrite>()) {
    entry.append_stamped(kAccess<kWrite>, address, size, site);
    return Granule(address, size).remember<kWrite>();
  }
  if (!join_run<kWrite>(granule, address, size, site)) {
    // Runs of reads know of no other record of their bytes behind them.
    if (!kWrite && !granule.is_new()) Entry::close_runs();
    entry.append_access<kWrite>(address, size, site);
  }
  granule.remember<kWrite>();
}

template <bool kWrite>
void record_miss(uint64_t address, uint32_t size, SiteRef site) {
  // A program that nobody records should hardly notice that it could be.
  if (!recording_on.load(std::memory_order_relaxed)) return;
  self.frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  record_few<kWrite>(address, size, site);
}

namespace {

// Where neither the read nor the write has been recorded, and nothing hangs on either. False:
// it may be otherwise.
bool record_as_one(uint64_t address, uint32_t size, UpdateSites sites) {
  if ((address & (kGranuleBytes - 1)) + size > kGranuleBytes) return false;
  const Entry entry;
  if (!entry || self.ignoring != 0) return false;
  OpenRun* const run = Entry::run_ending_at<true>(address, sites.write());
  const bool goes_on = run != nullptr && Entry::is_lone_here(*run, sites.kind());
  // Runs can be longer, and what is foreseen is then part of them at once.
  if (goes_on ? Entry::is_foreseen(sites.write()) : Entry::is_in_runs(address, sites)) return false;
  Granule granule(address, size);
  if (!granule.is_plain<true>() || self.memory->steering.may_be_at(address)) return false;
  if (!goes_on) {
    entry.append_update(address, size, sites);
  } else if (!Entry::join_lone<true>(*run, size)) {
    return false;  // from here on a run of reads and one of writes
  }
  granule.remember<true>();
  return true;
}

}  // namespace

void record_update(uint64_t address, uint32_t size, UpdateSites sites) {
  if (!recording_on.load(std::memory_order_relaxed)) return;
  self.frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  if (record_as_one(address, size, sites)) return;
  record_few<false>(address, size, sites.read());
  record_few<true>(address, size, sites.write());
}

namespace {

// Where none of them has been recorded. False: it may be otherwise.
bool record_group_as_one(uint64_t address, uint64_t bytes, ReadGroup& group) {
  const Entry entry;
  if (!entry || self.ignoring != 0) return false;
  const bool are_plain = visit_granules(address, bytes, [](uint64_t there, uint32_t bits) {
    return Granule(there, Granule::Bits{bits}).is_plain<false>();
  });
  const GroupMember& first = group.members[0];
  if (!are_plain || Entry::is_in_run_of_reads(address + first.offset, first.site)) return false;
  const uint32_t number = number_of(group);
  if (number == 0) return false;
  entry.append_group(address, number);
  return visit_granules(address, bytes, [](uint64_t there, uint32_t bits) {
    Granule(there, Granule::Bits{bits}).remember<false>();
    return true;
  });
}

}  // namespace

void record_group(uint64_t address, uint64_t bytes, ReadGroup& group) {
  if (!recording_on.load(std::memory_order_relaxed)) return;
  if (self.filter.is_started() && is_group_repeated(address, bytes)) return;
  self.frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  if (record_group_as_one(address, bytes, group)) return;
  for (uint64_t i = 0; i < group.count; ++i) {
    const GroupMember& member = group.members[i];
    record_few<false>(address + member.offset, member.bytes, member.site);
  }
}

template void record_miss<false>(uint64_t, uint32_t, SiteRef);
template void record_miss<true>(uint64_t, uint32_t, SiteRef);
template void record_access<false>(uint64_t, uint32_t, SiteRef);
template void record_access<true>(uint64_t, uint32_t, SiteRef);

void steering_read(uint64_t address, uint64_t bytes, SiteRef site) {
  if (!recording_on.load(std::memory_order_relaxed)) return;
  const uint64_t end = address + bytes;
  if (bytes > kGranuleBytes || !self.filter.is_started() ||
      !are_repeated<false>(address, byte_bits(address, static_cast<uint32_t>(bytes)))) {
    record_range<false>(address, bytes, site);
    if (self.memory == nullptr) return;
    Entry::close_runs();
  }
  // If the thread has written it before: the next time must be noticed.
  self.filter.forget_writes(address);
  self.filter.forget_writes(end - 1);
  if (!self.memory->steering.add(address, end)) Entry::forget_loop();
}

void forget_accesses(uint64_t address, uint64_t bytes) {
  ++self.forgotten;
  if (bytes >= kWholeRange) begin_range_stretch();
  self.filter.forget(address, bytes);
}

}  // namespace foretrace::runtime

using foretrace::runtime::access;
using foretrace::runtime::access_foreseen;
using foretrace::runtime::access_range;
using foretrace::runtime::access_strided;
using foretrace::runtime::access_strided_parts;
using foretrace::runtime::is_written;
using foretrace::runtime::ReadGroup;
using foretrace::runtime::Site;
using foretrace::runtime::update;
using foretrace::runtime::update_foreseen;
using foretrace::runtime::UpdateSites;

#define FORETRACE_HOOK extern "C" __attribute__((visibility("default"))) void
#define FORETRACE_PREDICATE extern "C" __attribute__((visibility("default"))) bool

#define FORETRACE_SIZE(size)                                                                 \
  FORETRACE_HOOK __foretrace_read##size(const void* p, const Site* site) {                   \
    access<false, size>(p, site);                                                            \
  }                                                                                          \
  FORETRACE_HOOK __foretrace_write##size(const void* p, const Site* site) {                  \
    access<true, size>(p, site);                                                             \
  }                                                                                          \
  FORETRACE_HOOK __foretrace_update##size(const void* p, const Site* site) {                 \
    update<size>(p, UpdateSites(site));                                                      \
  }                                                                                          \
  /* The same at two sites. */                                                               \
  FORETRACE_HOOK __foretrace_update##size##_pair(const void* p, ReadGroup* group) {          \
    update<size>(p, UpdateSites(group));                                                     \
  }                                                                                          \
  /* Where the sites are foreseen in their loop. */                                          \
  FORETRACE_HOOK __foretrace_read##size##_foreseen(const void* p, const Site* site) {        \
    access_foreseen<false, size>(p, site);                                                   \
  }                                                                                          \
  FORETRACE_HOOK __foretrace_write##size##_foreseen(const void* p, const Site* site) {       \
    access_foreseen<true, size>(p, site);                                                    \
  }                                                                                          \
  FORETRACE_HOOK __foretrace_update##size##_foreseen(const void* p, const Site* site) {      \
    update_foreseen<size>(p, UpdateSites(site));                                             \
  }                                                                                          \
  FORETRACE_HOOK __foretrace_update##size##_pair_foreseen(const void* p, ReadGroup* group) { \
    update_foreseen<size>(p, UpdateSites(group));                                            \
  }
FORETRACE_SIZE(1)
FORETRACE_SIZE(2)
FORETRACE_SIZE(4)
FORETRACE_SIZE(8)
FORETRACE_SIZE(16)

// Whether what is accessed from a pointer may be part of a range.
FORETRACE_PREDICATE __foretrace_may_reach(const void* pointer, uint64_t first, uint64_t end) {
  return foretrace::runtime::may_reach(reinterpret_cast<uint64_t>(pointer), first, end);
}

// Some reads of one object, when all have been made. `bytes` has a bit for each byte.
FORETRACE_HOOK __foretrace_read_parts(const void* p, uint64_t bytes, ReadGroup* group) {
  const auto address = reinterpret_cast<uint64_t>(p);
  if (foretrace::runtime::self.filter.is_started() &&
      foretrace::runtime::is_group_surely_repeated(address, *group)) {
    return;
  }
  foretrace::runtime::record_group(address, bytes, *group);
}

FORETRACE_HOOK __foretrace_read_range(const void* p, uint64_t bytes, const Site* site) {
  access_range<false>(p, bytes, site);
}
FORETRACE_HOOK __foretrace_write_range(const void* p, uint64_t bytes, const Site* site) {
  access_range<true>(p, bytes, site);
}

// The accesses of all rounds of a loop, the first one at `p`, each so far from the last.
FORETRACE_HOOK __foretrace_read_strided(const void* p, int64_t step, uint64_t rounds,
                                        uint32_t bytes, const Site* site) {
  access_strided<false>(p, step, rounds, bytes, site);
}
FORETRACE_HOOK __foretrace_write_strided(const void* p, int64_t step, uint64_t rounds,
                                         uint32_t bytes, const Site* site) {
  access_strided<true>(p, step, rounds, bytes, site);
}

// The same for the parts of elements of so many bytes, the first of which begins there.
FORETRACE_HOOK __foretrace_read_strided_parts(const void* p, int64_t step, uint64_t rounds,
                                              uint32_t bytes, const ReadGroup* group) {
  access_strided_parts<false>(p, step, rounds, bytes, *group);
}
FORETRACE_HOOK __foretrace_write_strided_parts(const void* p, int64_t step, uint64_t rounds,
                                               uint32_t bytes, const ReadGroup* group) {
  access_strided_parts<true>(p, step, rounds, bytes, *group);
}

// Of what a loop reads and writes: whether the thread need record neither.
FORETRACE_PREDICATE __foretrace_is_range_written(const void* p, uint64_t bytes) {
  return is_written(p, bytes);
}
FORETRACE_PREDICATE __foretrace_is_strided_written(const void* p, int64_t step, uint64_t rounds,
                                                   uint32_t bytes) {
  return is_written(p, step, rounds, bytes);
}

// A read that the course of a loop depends on, if it is the first in the loop or not what it
// was the last time.
FORETRACE_HOOK __foretrace_steering_read(const void* p, uint64_t bytes, const Site* site) {
  foretrace::runtime::self.frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  foretrace::runtime::steering_read(reinterpret_cast<uint64_t>(p), bytes, site);
}

// A loop with foreseen accesses begins: it may be because of what the last one read.
FORETRACE_HOOK __foretrace_loop(const char* loop) { foretrace::runtime::Entry::begin_loop(loop); }

// Before a call whose place the runtime wants to know: of a lock, an allocation.
FORETRACE_HOOK __foretrace_call(const Site* site) { foretrace::runtime::self.call_site = site; }

// A string that libc reads, `most` bytes at most.
FORETRACE_HOOK __foretrace_read_string(const char* text, uint64_t most, const Site* site) {
  if (!foretrace::runtime::recording_on.load(std::memory_order_relaxed) || text == nullptr) return;
  const uint64_t length = ::strnlen(text, most);
  __foretrace_read_range(text, std::min(length + 1, most), site);
}

// A number, to a base, that libc finds in a text.
FORETRACE_HOOK __foretrace_read_number(const char* text, uint64_t base, const Site* site) {
  if (!foretrace::runtime::recording_on.load(std::memory_order_relaxed) || text == nullptr) return;
  __foretrace_read_range(text, foretrace::runtime::number_bytes(text, base), site);
}

// A string that libc copies, end included. A limit is filled up with zeros.
FORETRACE_HOOK __foretrace_copy_string(char* target, const char* text, uint64_t most,
                                       const Site* site) {
  if (!foretrace::runtime::recording_on.load(std::memory_order_relaxed) || text == nullptr) return;
  __foretrace_write_range(target, most != UINT64_MAX ? most : ::strlen(text) + 1, site);
}

// A string that libc compares with another one.
FORETRACE_HOOK __foretrace_compare_string(const char* text, const char* other, uint64_t most,
                                          const Site* site) {
  if (!foretrace::runtime::recording_on.load(std::memory_order_relaxed)) return;
  __foretrace_read_range(text, foretrace::runtime::compared_bytes(text, other, most), site);
}

// A string to which libc appends another one, or `most` bytes of it.
FORETRACE_HOOK __foretrace_append_string(char* target, const char* text, uint64_t most,
                                         const Site* site) {
  if (!foretrace::runtime::recording_on.load(std::memory_order_relaxed)) return;
  const uint64_t length = ::strlen(target);
  __foretrace_read_range(target, length + 1, site);
  __foretrace_write_range(target + length, ::strnlen(text, most) + 1, site);
}
