#include "steering/units.h"

#include <cstring>

#include <sys/mman.h>

#include "steering/report.h"
#include "steering/settings.h"

namespace foretrace::steering {

bool has_units = false;

namespace {

// The last access to an address in the unit. Addresses that share a place push each
// other out: then a pair is not seen this time.
struct Last {
  uint64_t address;
  uint64_t unit;  // its number among the thread's units
  SiteRef site;
  bool write;
};
constexpr uint64_t kAddresses = 1U << 12;
Last* accesses_of[kMostSlots];  // never given back: the next thread with this slot uses it

#define FORETRACE_TLS __thread __attribute__((tls_model("initial-exec")))
FORETRACE_TLS uint32_t depth;
FORETRACE_TLS uint64_t number;
FORETRACE_TLS const char* name;  // of the outermost unit: it covers those inside

Last* table() {
  Last*& mine = accesses_of[index_of(*self.slot)];
  if (mine == nullptr) {
    void* const memory = ::mmap(nullptr, kAddresses * sizeof(Last), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) mine = static_cast<Last*>(memory);
  }
  return mine;
}

// Pairs that were told; one that finds its place taken is told again.
constexpr uint64_t kTold = 1U << 14;
std::atomic<uint64_t> told[kTold];

uint64_t bits_of(SiteRef site, bool write) {
  uint64_t bits = 0;
  std::memcpy(&bits, &site, sizeof bits);
  return bits * 2 + (write ? 1 : 0);
}

bool is_new(const Last& first, SiteRef site, bool write) {
  const uint64_t hash =
      (bits_of(first.site, first.write) * 0x9E3779B97F4A7C15U ^ bits_of(site, write)) *
      0xBF58476D1CE4E5B9U;
  return told[hash >> 50].exchange(hash, std::memory_order_relaxed) != hash;
}

}  // namespace

void prepare_units() { has_units = settings().units; }

void begin_unit(const char* name_of_it) {
  if (depth++ > 0) return;
  ++number;
  name = name_of_it;
}

void end_unit() {
  if (depth > 0) --depth;
}

void note_unit_access(uint64_t address, bool write, SiteRef site) {
  Last* const all = depth > 0 ? table() : nullptr;
  if (all == nullptr) return;
  Last& last = all[(address * 0x9E3779B97F4A7C15U) >> 52];
  if (last.address == address && last.unit == number && is_new(last, site, write)) {
    const Slot& slot = *self.slot;
    const uint32_t calls = slot.depth.load(std::memory_order_relaxed);
    ReportEntry entry;
    entry.line("pair\t%s", name);
    entry.access(slot, last.write, address, 1, last.site, slot.calls, calls);
    entry.access(slot, write, address, 1, site, slot.calls, calls);
  }
  last = {address, number, site, write};
}

}  // namespace foretrace::steering
