#include "steering/sections.h"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>

#include "steering/healing.h"
#include "steering/report.h"
#include "steering/system.h"

namespace foretrace::steering {

bool has_sections = false;
std::atomic<uint32_t> open_sections{0};

// An access by another thread while a section is watched. `word`: the number of
// the section's entry (upper half), 1 while the rest is written, 2 once it is.
struct Suspect {
  std::atomic<uint64_t> word;
  uint32_t slot = 0;
  uint64_t hooks = 0;  // of its thread, at that access
  bool happened = false;
  SiteRef site = {};
  uint32_t depth = 0;
  CallFrame calls[32] = {};
};

// `owner`: slot and one (bits 50-63) and a number that makes it unique; bit 49
// while the address is written.
struct alignas(64) SectionCell {
  std::atomic<uint64_t> owner;
  std::atomic<uint64_t> address;
  Suspect suspects[2];  // a read, a write
};

namespace {

constexpr uint64_t kCells = 1U << 12;
constexpr uint64_t kBusy = uint64_t{1} << 49;
constinit SectionCell cells[kCells];

uint32_t slot_of(uint64_t word) { return static_cast<uint32_t>(word >> 50) - 1; }
uint64_t number_of(uint64_t word) { return word & 0xFFFFFFFF; }

OpenSection* open_at(uint64_t address) {
  for (uint32_t i = 0; i < self.open_count; ++i) {
    if (self.open[i].address == address) return &self.open[i];
  }
  return nullptr;
}

void close(OpenSection& open) {
  free_cell(section_cell(open.address), open.entered);
  ended_healing(open);
  open_sections.fetch_sub(1, std::memory_order_relaxed);
  open = self.open[--self.open_count];
}

// ---- suspects

bool is_watched(uint64_t owner) {
  return owner != 0 && (owner & kBusy) == 0 && slot_of(owner) != index_of(*self.slot);
}

void suspect(const SectionAccess& access) {
  SectionCell& cell = section_cell(access.address);
  const uint64_t owner = cell.owner.load(std::memory_order_acquire);
  if (!is_watched(owner) || cell.address.load(std::memory_order_acquire) != access.address) return;
  Suspect& place = cell.suspects[access.write ? 1 : 0];
  uint64_t before = place.word.load(std::memory_order_acquire);
  const uint64_t mine = number_of(owner) << 32;
  if (before >> 32 == number_of(owner) || (before & 3) == 1) return;
  if (!place.word.compare_exchange_strong(before, mine | 1)) return;
  const Slot& slot = *self.slot;
  place.slot = index_of(slot);
  place.hooks = slot.hooks.load(std::memory_order_relaxed);
  place.happened = access.position == Position::behind;
  place.site = access.site;
  const uint32_t depth = slot.depth.load(std::memory_order_relaxed);
  place.depth = std::min<uint32_t>(depth, 32);
  std::memcpy(place.calls, slot.calls + depth - place.depth, place.depth * sizeof(CallFrame));
  place.word.store(mine | 2, std::memory_order_release);
}

// Whether the section that the thread is in was disturbed.
bool is_confirmed(const Suspect& suspect, uint64_t entered) {
  uint64_t word = suspect.word.load(std::memory_order_acquire);
  if (word >> 32 != number_of(entered)) return false;
  while ((word & 3) == 1) {
    give_way();
    word = suspect.word.load(std::memory_order_acquire);
  }
  return suspect.happened ||
         slots[suspect.slot].hooks.load(std::memory_order_acquire) > suspect.hooks;
}

void report_violation(const OpenSection& open, const SectionEnd& end, const Suspect& suspect,
                      bool remote_writes, const SectionAccess& access) {
  ReportHeader* const report = report_header();
  if (report == nullptr) return;
  ++report->violations;
  ReportEntry entry;
  const Slot& mine = *self.slot;
  const SectionEntry& section = settings().sections[open.entry];
  entry.line("violation\t%s\t%s\t%s\t%s\t%s", section.kind, section.variable, section.place,
             end.place, section.access == AccessKind::write ? "write" : "read");
  entry.access(slots[suspect.slot], remote_writes, open.address, 1, suspect.site, suspect.calls,
               suspect.depth);
  entry.access(mine, access.write, access.address, 1, access.site, mine.calls,
               mine.depth.load(std::memory_order_relaxed));
}

// Sections that threads have come through whole, told once each: pruning drops
// those that nobody has.
constexpr uint32_t kMostSeen = 1U << 16;
std::atomic<bool> seen_ends[kMostSeen];

void tell_seen(uint32_t end_number) {
  if (end_number >= kMostSeen || seen_ends[end_number].exchange(true)) return;
  const SectionEnd& end = settings().ends[end_number];
  const SectionEntry& section = settings().sections[end.section];
  ReportEntry entry;
  entry.line("seen\t%s\t%s\t%s\t%s\t%s", section.kind, section.variable, section.place, end.place,
             section.access == AccessKind::write ? "write" : "read");
}

void check(const OpenSection& open, const SectionAccess& access) {
  const SectionEnd* end = nullptr;
  uint8_t allowed = 0;
  for_rules(place_of(access.site), Purpose::end, access.write, [&](const Rule& rule) {
    const SectionEnd& candidate = settings().ends[rule.number];
    if (candidate.section != open.entry) return;
    end = &candidate;
    allowed |= candidate.allowed;
    tell_seen(rule.number);
  });
  if (end == nullptr) return;
  const SectionCell& cell = section_cell(open.address);
  for (const bool remote_writes : {false, true}) {
    if ((allowed & (remote_writes ? kAllowWrite : kAllowRead)) != 0) continue;
    const Suspect& suspect = cell.suspects[remote_writes ? 1 : 0];
    if (is_confirmed(suspect, open.entered)) {
      report_violation(open, *end, suspect, remote_writes, access);
    }
  }
}

bool ends(const OpenSection& open, const SectionAccess& access) {
  bool found = false;
  for_rules(place_of(access.site), Purpose::end, access.write, [&](const Rule& rule) {
    found = found || settings().ends[rule.number].section == open.entry;
  });
  return found;
}

bool enters(const OpenSection& open, const SectionAccess& access) {
  bool found = false;
  for_rules(place_of(access.site), Purpose::entry, access.write,
            [&](const Rule& rule) { found = found || rule.number == open.entry; });
  return found;
}

// The rule that makes the access an entry, if any.
const Rule* entry_at(const SectionAccess& access) {
  const Rule* entry = nullptr;
  for_rules(place_of(access.site), Purpose::entry, access.write,
            [&](const Rule& rule) { entry = &rule; });
  return entry;
}

// The call that the thread is in now, as far as hooks have told of it.
void note_call(OpenSection& open) {
  const Slot& slot = *self.slot;
  open.call = slot.depth.load(std::memory_order_relaxed);
  open.turns = open.call > 0 ? slot.calls[open.call - 1].turns : 0;
}

// Whether the function in which the section was entered has returned, as the frame
// of a later hook shows, or another call in the place of its own.
bool has_returned(const OpenSection& open, uint64_t frame) {
  const Slot& slot = *self.slot;
  if (open.frame < frame || slot.depth.load(std::memory_order_relaxed) < open.call) return true;
  return open.call > 0 && slot.calls[open.call - 1].turns != open.turns;
}

void leave_by_exits(const SectionAccess& access) {
  for_rules(place_of(access.site), Purpose::exit, access.write, [&](const Rule& rule) {
    for (uint32_t i = self.open_count; i > 0; --i) {
      if (self.open[i - 1].entry == rule.number) close(self.open[i - 1]);
    }
  });
}

}  // namespace

bool is_in_section(uint64_t address) { return open_at(address) != nullptr; }

SectionCell& section_cell(uint64_t address) {
  return cells[(address * 0x9E3779B97F4A7C15U) >> 52 & (kCells - 1)];
}

uint32_t owner_of(const SectionCell& cell, uint64_t address) {
  const uint64_t owner = cell.owner.load(std::memory_order_acquire);
  if (owner == 0 || cell.address.load(std::memory_order_acquire) != address) return kNoSlot;
  return slot_of(owner);
}

bool has_other_address(const SectionCell& cell, uint64_t address) {
  const uint64_t owner = cell.owner.load(std::memory_order_acquire);
  return owner != 0 && (owner & kBusy) == 0 &&
         cell.address.load(std::memory_order_acquire) != address &&
         cell.owner.load(std::memory_order_relaxed) == owner;
}

bool take_cell(SectionCell& cell, uint64_t address, uint64_t& word) {
  word = uint64_t{index_of(*self.slot) + 1} << 50 | (++self.sequence & 0xFFFFFFFF);
  uint64_t expected = 0;
  if (!cell.owner.compare_exchange_strong(expected, word | kBusy)) return false;
  cell.address.store(address, std::memory_order_release);
  cell.owner.store(word, std::memory_order_release);
  return true;
}

void free_cell(SectionCell& cell, uint64_t word) { cell.owner.compare_exchange_strong(word, 0); }

void note_access(const SectionAccess& access) {
  if (self.open_count > 0) {
    leave_returned_sections(access.frame);
    leave_by_exits(access);
  }
  if (open_sections.load(std::memory_order_relaxed) != 0) suspect(access);
}

void end_section(const SectionAccess& access) {
  OpenSection* const open = open_at(access.address);
  if (open == nullptr) return;
  if (ends(*open, access)) {
    if (open->depth > 1) {
      --open->depth;
      return;
    }
    check(*open, access);
    close(*open);
  } else if (enters(*open, access)) {
    if (access.frame < open->frame) {
      ++open->depth;  // entered again by a call inside it
    } else {
      close(*open);  // it starts again
    }
  }
}

bool continue_section(const SectionAccess& access) {
  OpenSection* const open = open_at(access.address);
  const Rule* const entry = entry_at(access);
  if (open == nullptr || entry == nullptr || open->depth > 1 || !ends(*open, access)) return false;
  open->entry = entry->number;
  open->frame = access.frame;
  note_call(*open);
  return true;
}

void begin_section(const SectionAccess& access) {
  const Rule* const entry = entry_at(access);
  if (entry == nullptr || open_at(access.address) != nullptr) return;
  if (self.open_count == kMostOpenSections) {
    if (ReportHeader* const report = report_header()) ++report->lost;
    return;
  }
  OpenSection open = {};
  open.address = access.address;
  open.frame = access.frame;
  open.entry = entry->number;
  open.depth = 1;
  note_call(open);
  // A thread that is in a section of this address already is the one that is
  // watched, or that one waits for.
  if (!claim_section(open)) return;
  self.open[self.open_count++] = open;
  open_sections.fetch_add(1, std::memory_order_relaxed);
}

void leave_returned_sections(uint64_t frame) {
  for (uint32_t i = self.open_count; i > 0; --i) {
    OpenSection& open = self.open[i - 1];
    if (!settings().sections[open.entry].ends_elsewhere && has_returned(open, frame)) close(open);
  }
}

void leave_all_sections() {
  while (self.open_count > 0) close(self.open[self.open_count - 1]);
}

void prepare_sections() { has_sections = settings().section_count > 0; }

void forget_sections_of_others() {
  for (SectionCell& cell : cells) {
    const uint64_t owner = cell.owner.load();
    if (owner != 0 && (self.slot == nullptr || slot_of(owner) != index_of(*self.slot))) {
      cell.owner.store(0);
    }
  }
  open_sections.store(self.open_count);
}

}  // namespace foretrace::steering
