#include "steering/windows.h"

#include <algorithm>
#include <cstring>

#include "runtime/spin_lock.h"
#include "steering/report.h"

namespace foretrace::steering {

std::atomic<uint16_t> cells[kCells];
std::atomic<uint32_t> attention{1};

namespace {

uint32_t ordinary_attention = 1;  // while no window is unseen

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
  bool write;
  SiteRef site;
  uint32_t depth;
  CallFrame calls[64];
};
std::atomic<uint32_t> caught_lock{0};
Caught caught;  // too large for the stacks of small threads

void copy_access(const Slot& slot, Caught& copy) {
  copy.address = slot.address;
  copy.bytes = slot.extent / 2;
  copy.write = slot.extent % 2 != 0;
  copy.site = slot.site;
}

void copy_calls(const Slot& slot, Caught& copy) {
  uint32_t depth = slot.depth.load(std::memory_order_relaxed);
  while (depth > 0 && slot.calls[depth - 1].frame < slot.frame) --depth;  // they have returned
  copy.depth = std::min<uint32_t>(depth, 64);
  std::memcpy(copy.calls, slot.calls + depth - copy.depth, copy.depth * sizeof(CallFrame));
}

bool is_open(const Slot& slot, uint64_t number) {
  std::atomic_thread_fence(std::memory_order_acquire);
  return slot.turns.load(std::memory_order_acquire) == number;
}

bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

void report_race(const Slot& other) {
  ReportEntry entry;
  const Slot& mine = *self.slot;
  entry.line("race");
  entry.access(other, caught.write, caught.address, caught.bytes, caught.site, caught.calls,
               caught.depth);
  entry.access(mine, mine.extent % 2 != 0, mine.address, mine.extent / 2, mine.site, mine.calls,
               mine.depth.load(std::memory_order_relaxed));
}

// Looks at what another thread is at, while this thread's window is open.
void look_at(Slot& other) {
  const Slot& mine = *self.slot;
  const uint64_t number = other.turns.load(std::memory_order_acquire);
  if (number % 2 == 0 || &other == &mine) return;
  const bool writes = mine.extent % 2 != 0;
  const uint64_t bytes = mine.extent / 2;
  if (!overlap(other.address, other.extent / 2, mine.address, bytes)) return;
  if (!writes && other.extent % 2 == 0) return;
  const runtime::SpinGuard guard(caught_lock);
  copy_access(other, caught);
  copy_calls(other, caught);
  if (!is_open(other, number)) return;
  // What was seen before may have been of two windows: this is of one.
  if (!overlap(caught.address, caught.bytes, mine.address, bytes) || (!writes && !caught.write) ||
      is_volatile(caught.site) || is_meant(mine.address, bytes)) {
    return;
  }
  other.caught.store(true, std::memory_order_relaxed);
  self.slot->caught.store(true, std::memory_order_relaxed);
  if (ReportHeader* const report = report_header()) ++report->races;
  if (is_new_pair(caught.site, caught.write, mine.site, writes)) report_race(other);
}

void look_around() {
  const uint32_t count = slot_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) look_at(slots[i]);
}

// How many cells a window has: none if it is too long.
uint32_t cells_of(uint64_t address, uint64_t bytes) {
  constexpr uint64_t kMostCells = 16;
  const uint64_t count = (address % kGranule + bytes + kGranule - 1) / kGranule;
  return count <= kMostCells ? static_cast<uint32_t>(count) : 0;
}

// Whether the one whose slot is in a cell has a window there.
bool is_in(const std::atomic<uint16_t>& cell, const Slot& slot) {
  const uint64_t number = slot.turns.load(std::memory_order_acquire);
  if (number % 2 == 0) return false;
  const uint32_t count = cells_of(slot.address, slot.extent / 2);
  bool found = false;
  for (uint32_t i = 0; i < count; ++i) {
    found = found || &cell_of(slot.address + i * kGranule) == &cell;
  }
  return found || !is_open(slot, number);
}

}  // namespace

bool pass_by_several(uint64_t address, uint64_t bytes, bool write, SiteRef site, uint64_t frame) {
  Slot& slot = *self.idle;
  const uint32_t count = cells_of(address, bytes);
  if (attention.load(std::memory_order_relaxed) != 0 || is_window_open(slot) || count == 0) {
    return false;
  }
  const auto cell = [&](uint32_t i) -> std::atomic<uint16_t>& {
    return cell_of(address + i * kGranule);
  };
  for (uint32_t i = 0; i < count; ++i) {
    if (cell(i).load(std::memory_order_acquire) != 0) return false;
  }
  if (write) describe_window(slot, address, bytes, write, site, frame);
  take_turn(slot);
  for (uint32_t i = 0; write && i < count; ++i) cell(i).store(self.mark, std::memory_order_release);
  for (uint32_t i = 0; write && i < count; ++i) cell(i).store(0, std::memory_order_release);
  take_turn(slot);
  return true;
}

template <typename Body>
void Window::for_cells(const Body& body) {
  for (uint32_t i = 0; i < count_; ++i) body(cell_of(address_ + i * kGranule), 1U << i);
}

Window::Window(uint64_t address, uint64_t bytes, bool write, SiteRef site, uint64_t frame)
    : address_(address) {
  Slot& slot = *self.slot;
  slot.caught.store(false, std::memory_order_relaxed);
  describe_window(slot, address, bytes, write, site, frame);
  take_turn(slot);
  self.window = this;
  count_ = cells_of(address, bytes);
  if (count_ == 0) {
    stay();
    return;
  }
  look_into_cells();
  if (write) enter_cells();
  if (attention.load(std::memory_order_relaxed) > ordinary_attention) look_around();
}

void Window::look_into_cells() {
  for_cells([](const std::atomic<uint16_t>& cell, uint32_t) {
    const uint16_t there = cell.load(std::memory_order_acquire);
    if (there != 0 && there != self.mark) look_at(slots[there - 1]);
  });
}

// Where nobody else is.
void Window::enter_cells() {
  for_cells([&](std::atomic<uint16_t>& cell, uint32_t bit) {
    const uint16_t there = cell.load(std::memory_order_acquire);
    if (there != 0 && there != self.mark && is_in(cell, slots[there - 1])) return;
    cell.store(self.mark, std::memory_order_release);
    mine_ |= bit;
  });
}

// Of two threads that stay, the one whose fence comes later sees the other's slot.
// One that passes by sees the cell, or that attention is asked for.
void Window::stay() {
  if (stays_) return;
  stays_ = true;
  enter_cells();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  bool is_seen = count_ > 0;
  for_cells([&](const std::atomic<uint16_t>& cell, uint32_t) {
    is_seen = is_seen && cell.load(std::memory_order_relaxed) == self.mark;
  });
  if (!is_seen) {
    is_unseen_ = true;
    attention.fetch_add(1, std::memory_order_seq_cst);
  }
  look_around();
}

Window::~Window() {
  self.window = nullptr;
  for_cells([&](std::atomic<uint16_t>& cell, uint32_t bit) {
    if ((mine_ & bit) != 0 && cell.load(std::memory_order_relaxed) == self.mark) {
      cell.store(0, std::memory_order_release);
    }
  });
  if (is_unseen_) attention.fetch_sub(1, std::memory_order_relaxed);
  if (is_window_open(*self.slot)) take_turn(*self.slot);
}

void let_pass_by() {
  nobody.turns.store(1);
  ordinary_attention = 0;
  attention.fetch_sub(1);
}

void forget_windows() {
  for (Slot& slot : slots) {
    if (&slot == self.slot) continue;
    if (is_window_open(slot)) take_turn(slot);
    slot.waits_for.store(0);
    slot.used.store(false);
  }
  for (std::atomic<uint16_t>& cell : cells) cell.store(0);
  attention.store(ordinary_attention);
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
