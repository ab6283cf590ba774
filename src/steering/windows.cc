#include "steering/windows.h"

#include <algorithm>
#include <cstring>

#include "runtime/spin_lock.h"
#include "steering/report.h"

namespace foretrace::steering {
namespace {

constexpr uint32_t kGranuleShift = 4;
constexpr uint64_t kGranuleMask = (1U << kGranuleShift) - 1;
constexpr uint64_t kCells = 1U << 14;
std::atomic<uint64_t> cells[kCells];
std::atomic<uint32_t> open_ranges{0};

// A window's word: slot and one (bits 50-63), write (49), size (44-48; 0: a
// range, which has no cell), offset in the granule (40-43), sequence (0-39).
constexpr uint64_t kWrite = uint64_t{1} << 49;
constexpr uint64_t kSequence = (uint64_t{1} << 40) - 1;

uint64_t make_word(uint64_t address, uint64_t bytes, bool write) {
  return uint64_t{index_of(*self.slot) + 1} << 50 | (write ? kWrite : 0) | bytes << 44 |
         (address & kGranuleMask) << 40 | (++self.sequence & kSequence);
}
uint32_t slot_of(uint64_t word) { return static_cast<uint32_t>(word >> 50) - 1; }
bool is_range(uint64_t word) { return (word >> 44 & 31) == 0; }

std::atomic<uint64_t>& cell_of(uint64_t address) {
  const uint64_t granule = address >> kGranuleShift;
  return cells[(granule ^ granule >> 14 ^ granule >> 28) & (kCells - 1)];
}

// ---- what is meant, and what was reported

struct Meant {
  uint64_t first;
  uint64_t last;
};
constexpr uint32_t kMostMeant = 1024;
Meant meant[kMostMeant];
std::atomic<uint32_t> meant_count{0};

bool is_meant(uint64_t address, uint64_t bytes) {
  const uint32_t count = std::min(meant_count.load(std::memory_order_acquire), kMostMeant);
  for (uint32_t i = 0; i < count; ++i) {
    if (address <= meant[i].last && address + bytes > meant[i].first) return true;
  }
  return false;
}

// Pairs of places that were reported; a pair that finds no space is reported again.
constexpr uint32_t kReported = 1U << 12;
std::atomic<uint64_t> reported[kReported];

bool is_new_pair(SiteRef a, bool a_writes, SiteRef b, bool b_writes) {
  uint64_t one = 0;
  uint64_t other = 0;
  std::memcpy(&one, &a, sizeof one);
  std::memcpy(&other, &b, sizeof other);
  one = one * 2 + (a_writes ? 1 : 0);
  other = other * 2 + (b_writes ? 1 : 0);
  uint64_t hash =
      (std::min(one, other) * 0x9E3779B97F4A7C15U ^ std::max(one, other)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ hash >> 31) | 1;
  for (uint32_t step = 0; step < 16; ++step) {
    std::atomic<uint64_t>& place = reported[((hash >> 1) + step) & (kReported - 1)];
    uint64_t there = place.load();
    if (there == 0 && place.compare_exchange_strong(there, hash)) return true;
    if (there == hash) return false;
  }
  return true;
}

// ---- a window that somebody came into

struct Caught {
  uint64_t address;
  uint64_t bytes;
  SiteRef site;
  uint32_t depth;
  CallFrame calls[64];
};
std::atomic<uint32_t> caught_lock{0};
Caught caught;  // too large for the stacks of small threads

// Copies what another thread is at. Whether its window was open all the time.
bool copy_details(const Slot& other, uint64_t word, Caught& copy) {
  copy.address = other.address;
  copy.bytes = other.bytes;
  copy.site = other.site;
  const uint32_t depth = other.depth.load(std::memory_order_relaxed);
  copy.depth = std::min<uint32_t>(depth, 64);
  if (other.calls != nullptr && copy.depth > 0) {
    std::memcpy(copy.calls, other.calls + depth - copy.depth, copy.depth * sizeof(CallFrame));
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return other.window.load(std::memory_order_acquire) == word;
}

void report_race(const Slot& other, uint64_t word, bool writes) {
  ReportEntry entry;
  const Slot& mine = *self.slot;
  entry.line("race");
  const uint32_t depth = mine.depth.load(std::memory_order_relaxed);
  entry.access(other, (word & kWrite) != 0, caught.address, caught.bytes, caught.site, caught.calls,
               caught.depth);
  entry.access(mine, writes, mine.address, mine.bytes, mine.site, mine.calls, depth);
}

// The word was found while this thread's window is open.
void look_at(uint64_t word, bool writes) {
  Slot& other = slots[slot_of(word)];
  const Slot& mine = *self.slot;
  if (!writes && (word & kWrite) == 0) return;
  const runtime::SpinGuard guard(caught_lock);
  if (!copy_details(other, word, caught)) return;
  if (caught.address >= mine.address + mine.bytes ||
      mine.address >= caught.address + caught.bytes) {
    return;  // another address with the same cell
  }
  if (is_meant(mine.address, mine.bytes)) return;
  other.caught.store(true, std::memory_order_relaxed);
  self.slot->caught.store(true, std::memory_order_relaxed);
  if (ReportHeader* const report = report_header()) ++report->races;
  if (is_new_pair(caught.site, (word & kWrite) != 0, mine.site, writes)) {
    report_race(other, word, writes);
  }
}

template <typename Wanted>
void look_around(bool writes, const Wanted& wanted) {
  const uint32_t count = slot_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t word = slots[i].window.load(std::memory_order_acquire);
    if (word != 0 && &slots[i] != self.slot && wanted(word)) look_at(word, writes);
  }
}

}  // namespace

Window::Window(uint64_t address, uint64_t bytes, bool write, SiteRef site) {
  Slot& slot = *self.slot;
  slot.address = address;
  slot.bytes = bytes;
  slot.site = site;
  ++slot.accesses;
  slot.caught.store(false, std::memory_order_relaxed);
  const bool small = (address & kGranuleMask) + bytes <= kGranuleMask + 1;
  word_ = make_word(address, small ? bytes : 0, write);
  slot.window.store(word_, std::memory_order_release);
  if (small) {
    open_cell(address);
  } else {
    open_range();
  }
}

// The exchange puts this window into the order of all windows of the cell.
void Window::open_cell(uint64_t address) {
  cell_ = &cell_of(address);
  const uint64_t before = cell_->exchange(word_, std::memory_order_seq_cst);
  if (before != 0 && before >> 50 != word_ >> 50 &&
      slots[slot_of(before)].window.load(std::memory_order_acquire) == before) {
    displaced_ = before;
    look_at(before, (word_ & kWrite) != 0);
  }
  if (open_ranges.load(std::memory_order_seq_cst) != 0) {
    look_around((word_ & kWrite) != 0, is_range);
  }
}

void Window::open_range() {
  open_ranges.fetch_add(1, std::memory_order_seq_cst);
  look_around((word_ & kWrite) != 0, [](uint64_t) { return true; });
}

Window::~Window() {
  self.slot->window.store(0, std::memory_order_release);
  if (cell_ == nullptr) {
    open_ranges.fetch_sub(1, std::memory_order_relaxed);
  } else if (displaced_ != 0 &&
             slots[slot_of(displaced_)].window.load(std::memory_order_relaxed) == displaced_) {
    // It is still open: whoever comes next shall see it.
    cell_->compare_exchange_strong(word_, displaced_, std::memory_order_relaxed);
  }
}

void forget_windows() {
  for (Slot& slot : slots) {
    if (&slot == self.slot) continue;
    slot.window.store(0);
    slot.waits_for.store(0);
    slot.used.store(false);
  }
  for (std::atomic<uint64_t>& cell : cells) cell.store(0);
  open_ranges.store(0);
  caught_lock.store(0);
}

void allow_races(uint64_t address, uint64_t bytes) {
  const runtime::SpinGuard guard(caught_lock);
  const uint32_t place = meant_count.load();
  if (place >= kMostMeant) {
    if (ReportHeader* const report = report_header()) ++report->lost;
    return;
  }
  meant[place] = {address, address + bytes - 1};
  meant_count.store(place + 1, std::memory_order_release);
}

}  // namespace foretrace::steering
