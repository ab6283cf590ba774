// The records of a thread that may still become longer.
#pragma once

#include <cstdint>

#include "runtime/site.h"

namespace foretrace::runtime {

// A record near the end of the ring that becomes longer if the next access at its
// site is of the bytes behind it. That moves the access to an earlier place in the
// thread's records. It is allowed where the records between them are of other bytes
// (Granule::is_new(), Granule::is_only_read()), and all of writes: whether the thread
// comes to an access, and where it is, can depend on what it read before. So there is the
// last read, and the writes behind it. An access that is foreseen in its loop (site.h)
// depends on nothing that the loop has read since it began: there it may be one of
// several runs.
struct OpenRun {
  uint64_t next;    // the address behind its last byte
  uint64_t window;  // Thread::window when it was made; 0: none
  SiteRef site;
  uint32_t record;  // its place in the ring
  uint32_t stack;   // or apart()

  // The stack of a record to which nothing can be added: it names its stack itself, or is of
  // an update.
  static uint32_t apart(uint32_t stack) { return ~stack; }
  bool is_apart() const { return stack >> 31 != 0; }  // no stack has such a number
};

// By where they end, so that a site can have many: a sort deals its keys out to hundreds
// of places. Two have the same place.
class OpenRuns {
 public:
  // The run that ends there; if there is none, the older one of those in its place.
  OpenRun& ending_at(uint64_t next) {
    OpenRun* const two = runs_[region_of(next) * 0x9E3779B97F4A7C15ULL >> (64 - kBits)];
    if (two[0].next == next) return two[0];
    if (two[1].next == next) return two[1];
    return two[static_cast<int32_t>(two[0].record - two[1].record) > 0 ? 1 : 0];
  }
  // The run has become longer. Returns it, as it may be in another place now.
  OpenRun& move_end(OpenRun& run, uint64_t next) {
    if (region_of(run.next) == region_of(next)) {
      run.next = next;
      return run;
    }
    const OpenRun longer = {next, run.window, run.site, run.record, run.stack};
    run = OpenRun();
    return ending_at(next) = longer;
  }
  // Whether a run that ends there moves to another place with its next access, of a granule,
  static bool moves_at(uint64_t next) { return next % kRegionBytes == 0; }
  // or of so many bytes.
  static bool moves_with(uint64_t next, uint64_t bytes) {
    return region_of(next) != region_of(next + bytes);
  }
  static constexpr uint64_t kRegionBytes = 4096;

 private:
  static uint64_t region_of(uint64_t next) { return (next - 1) / kRegionBytes; }
  static constexpr uint32_t kBits = 10;
  OpenRun runs_[1U << kBits][2];
};

// The open run that a site added to last, where that is foreseen: a loop goes on as it did,
// so its next access finds the run without a search.
// Runs move: it may be another one by now, and is the same if it still has its record.
struct alignas(32) LastRun {
  OpenRun* run;           // null: none
  OpenRun* reads;         // of writes: the run of those that were read before, or null
  uint32_t record;        // of the run then
  uint32_t reads_record;  // of that of reads then
};
class LastRuns {
 public:
  LastRun& of(SiteRef site) { return runs_[site.hash() % kPlaces]; }

 private:
  static constexpr uint32_t kPlaces = 64;
  LastRun runs_[kPlaces];
};

}  // namespace foretrace::runtime
