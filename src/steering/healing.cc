#include "steering/healing.h"

#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "steering/hold.h"
#include "steering/report.h"
#include "steering/system.h"

namespace foretrace::steering {
namespace {

// ---- who waits for whom

struct Owned {
  std::atomic<uint64_t> mutex;
  std::atomic<uint32_t> slot;  // and one; 0: nobody
};
constexpr uint64_t kOwned = 1U << 14;
Owned owned[kOwned];

Owned& entry_of(uint64_t mutex) {
  return owned[(mutex >> 3) * 0x9E3779B97F4A7C15U >> 50 & (kOwned - 1)];
}

// The thread that the one in `slot` waits for; kNoSlot if it runs; `unknown` if
// nobody can tell.
uint32_t next_in_chain(uint32_t slot, bool& unknown) {
  const uint64_t what = slots[slot].waits_for.load(std::memory_order_acquire);
  if (what == 0) return kNoSlot;
  uint32_t next = kNoSlot;
  if ((what & 3) == kHealingTag) {
    const uint64_t address = what >> 2;
    next = owner_of(section_cell(address), address);
  } else if (what != kWaitsForSomething) {
    next = owner_of_mutex(what);
  } else {
    unknown = true;
    return kNoSlot;
  }
  // It was given back meanwhile, or nobody has seen who has it.
  unknown = next == kNoSlot && (what & 3) != kHealingTag;
  return next;
}

// ---- what is counted

struct SectionCount {
  std::atomic<uint64_t> entered;
  std::atomic<uint64_t> kept_out;  // others that waited, and then went on alone
  std::atomic<uint64_t> skipped;   // waiting would have risked a deadlock
  std::atomic<uint64_t> late;      // was locked only behind its first read
  std::atomic<bool> given_up;      // its lock was waited for in vain for too long
};
constexpr uint32_t kMostCounts = 4096;
SectionCount counts[kMostCounts];
SectionCount& count_of(uint32_t section) { return counts[section % kMostCounts]; }

void count_kept_out(uint32_t section) {
  ++count_of(section).kept_out;
  if (ReportHeader* const report = report_header()) ++report->healed;
}
void count_skipped(uint32_t section) {
  ++count_of(section).skipped;
  if (ReportHeader* const report = report_header()) ++report->not_healed;
}

// ---- the ways to heal

constexpr int kPriorityInSection = -10;
std::atomic<bool> may_raise_priority{true};

void raise_priority() {
  if (!may_raise_priority.load(std::memory_order_relaxed)) return;
  if (system_call(SYS_setpriority, PRIO_PROCESS, self.slot->tid, kPriorityInSection) != 0) {
    may_raise_priority.store(false);  // report_healing() says so
  }
}
void lower_priority() {
  if (!may_raise_priority.load(std::memory_order_relaxed)) return;
  system_call(SYS_setpriority, PRIO_PROCESS, self.slot->tid, 0);
}

bool locks(uint32_t section) {
  return settings().healing == Healing::lock && !settings().sections[section].synchronises &&
         !count_of(section).given_up.load(std::memory_order_relaxed);
}

// Whether a thread sleeps in the system, for whatever reason. One that could run
// and only gets no core will go on.
bool sleeps(const Slot& slot) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", slot.tid);
  const long fd =
      system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  char text[256];
  const long got = system_call(SYS_read, fd, reinterpret_cast<long>(text), sizeof text - 1);
  system_call(SYS_close, fd);
  if (got <= 0) return true;
  text[got] = '\0';
  const char* const state = std::strrchr(text, ')');  // behind the program's name
  return state == nullptr || state[1] == '\0' || state[2] != 'R';
}

// How long a thread waits for a healing lock: `hold`, and as long again, up to a
// hundred times, as long as the one that has it could run. If even that was not
// enough, that one may be waiting in a loop for something that this thread has: the
// section is not locked any more.
class Patience {
 public:
  Patience(bool for_lock, uint32_t section)
      : section_(section),
        limit_(for_lock ? settings().hold : kMillisecond),
        end_(now() + limit_),
        extensions_(for_lock ? kMostExtensions : 0) {}

  bool is_over(const Slot& owner) {
    if (now() < end_ || settings().reckless) return false;
    if (sleeps(owner) || extensions_ == 0) return true;
    end_ = now() + limit_;
    if (--extensions_ > 0) return false;
    count_of(section_).given_up.store(true, std::memory_order_relaxed);
    return true;
  }

 private:
  static constexpr int kMostExtensions = 100;
  const uint32_t section_;
  const uint64_t limit_;
  uint64_t end_;
  int extensions_;
};

// Waits until nobody else is in a section of the address. For scheduling
// influence, a little while; for a lock, as long as that cannot deadlock.
bool wait_until_free(SectionCell& cell, uint64_t address, uint32_t section) {
  const bool for_lock = locks(section);
  Patience patience(for_lock, section);
  self.slot->waits_for.store(address << 2 | kHealingTag, std::memory_order_release);
  bool free = false;
  for (uint32_t round = 0;; ++round) {
    const uint32_t owner = owner_of(cell, address);
    free = owner == kNoSlot;
    if (free || (for_lock && might_deadlock(owner)) || patience.is_over(slots[owner])) break;
    if (round < 100) {
      give_way();
    } else {
      pause_for(20 * kMicrosecond);
    }
  }
  self.slot->waits_for.store(0, std::memory_order_release);
  return free;
}

bool take_or_wait(OpenSection& open) {
  SectionCell& cell = section_cell(open.address);
  bool waited = false;
  for (;;) {
    if (take_cell(cell, open.address, open.entered)) {
      if (waited) count_kept_out(open.entry);
      return true;
    }
    if (settings().healing == Healing::none) return false;
    if (waited && has_other_address(cell, open.address)) {
      count_skipped(open.entry);
      return false;
    }
    const bool for_lock = locks(open.entry);
    if (!wait_until_free(cell, open.address, open.entry)) {
      if (for_lock) count_skipped(open.entry);
      return false;
    }
    waited = true;
  }
}

// The section whose variable is accessed at a place, if any.
uint32_t section_at(const SectionAccess& access) {
  const Place& place = place_of(access.site);
  uint32_t found = kNoSlot;
  for_rules(place, Purpose::variable, access.write, [&](const Rule& rule) { found = rule.number; });
  for_rules(place, Purpose::end, access.write,
            [&](const Rule& rule) { found = settings().ends[rule.number].section; });
  for_rules(place, Purpose::entry, access.write, [&](const Rule& rule) { found = rule.number; });
  return found;
}

#define FORETRACE_TLS __thread __attribute__((tls_model("initial-exec")))
// The cell that guards an access outside every section.
FORETRACE_TLS OpenSection single;
// The address of the section that the access in hand began; 0: none.
FORETRACE_TLS uint64_t began;
// An access that has no hook behind it.
FORETRACE_TLS SectionAccess pending;

// A fresh time slice makes it likelier that the section is done within it. One lasts
// for some milliseconds: not each section needs its own.
void begin_time_slice() {
  static FORETRACE_TLS uint64_t given_way;
  const uint64_t time = now();
  if (time - given_way < kMillisecond) return;
  given_way = time;
  give_way();
}

void release_single() {
  if (single.entered == 0) return;
  free_cell(section_cell(single.address), single.entered);
  single.entered = 0;
}

bool may_disturb(const SectionAccess& access, uint32_t section) {
  return (settings().sections[section].allowed & (access.write ? kAllowWrite : kAllowRead)) == 0;
}

// An access of the variable outside every section: a section of its own.
void guard_single(const SectionAccess& access, uint32_t section) {
  if (!may_disturb(access, section)) return;
  OpenSection open = {};
  open.address = access.address;
  open.entry = section;
  if (settings().healing != Healing::lock) {
    SectionCell& cell = section_cell(access.address);
    const uint32_t owner = owner_of(cell, access.address);
    if (owner != kNoSlot && owner != index_of(*self.slot) &&
        wait_until_free(cell, access.address, section)) {
      count_kept_out(section);
    }
    return;
  }
  if (take_or_wait(open)) single = open;
}

}  // namespace

bool claim_section(OpenSection& open) {
  if (settings().healing == Healing::none) {
    return take_cell(section_cell(open.address), open.address, open.entered);
  }
  if (settings().healing == Healing::yield) begin_time_slice();
  if (!take_or_wait(open)) return false;
  ++count_of(open.entry).entered;
  if (settings().healing == Healing::priority) raise_priority();
  return true;
}

void ended_healing(const OpenSection&) {
  if (settings().healing == Healing::priority) lower_priority();
}

void heal_in_front(const SectionAccess& access) {
  settle_healing();
  leave_returned_sections(access.frame);
  began = 0;
  const uint32_t section = section_at(access);
  if (section == kNoSlot || is_in_section(access.address)) return;
  begin_section(access);
  if (is_in_section(access.address)) {
    began = access.address;
    if (access.position == Position::behind) ++count_of(section).late;
  } else {
    guard_single(access, section);
  }
}

void heal_behind(const SectionAccess& access) {
  release_single();
  if (began == access.address) {  // what begins with this access does not end with it
    began = 0;
    return;
  }
  if (continue_section(access)) {
    ++count_of(section_at(access)).entered;
    return;
  }
  end_section(access);
  begin_section(access);
}

void heal_behind_later(const SectionAccess& access) {
  pending = access;
  self.heals_later = true;
}

void settle_healing() {
  if (!self.heals_later) return;
  self.heals_later = false;
  heal_behind(pending);
}

bool might_deadlock(uint32_t owner) {
  if (settings().reckless) return false;
  const uint32_t me = index_of(*self.slot);
  constexpr uint32_t kMostHops = 64;
  for (uint32_t hop = 0; hop < kMostHops; ++hop) {
    bool unknown = false;
    const uint32_t next = next_in_chain(owner, unknown);
    if (unknown || next == me) return true;
    if (next == kNoSlot) return false;
    owner = next;
  }
  return true;
}

void note_owner(const void* mutex, bool is_owned) {
  const auto address = reinterpret_cast<uint64_t>(mutex);
  Owned& entry = entry_of(address);
  if (is_owned) {
    entry.mutex.store(address, std::memory_order_relaxed);
    entry.slot.store(self.slot != nullptr ? index_of(*self.slot) + 1 : 0,
                     std::memory_order_release);
  } else if (entry.mutex.load(std::memory_order_relaxed) == address) {
    entry.slot.store(0, std::memory_order_release);
  }
}

uint32_t owner_of_mutex(uint64_t mutex) {
  const Owned& entry = entry_of(mutex);
  if (entry.mutex.load(std::memory_order_acquire) != mutex) return kNoSlot;
  const uint32_t slot = entry.slot.load(std::memory_order_acquire);
  return slot == 0 ? kNoSlot : slot - 1;
}

void look_for_deadlock(const void* mutex, SiteRef site) {
  ReportHeader* const report = report_header();
  if (report == nullptr) return;
  uint32_t chain[16];
  uint32_t length = 0;
  uint32_t at = owner_of_mutex(reinterpret_cast<uint64_t>(mutex));
  const uint32_t me = index_of(*self.slot);
  while (at != kNoSlot && at != me && length < 16) {
    chain[length++] = at;
    bool unknown = false;
    at = next_in_chain(at, unknown);
    if (unknown) return;
  }
  if (at != me || length == 0) return;
  // Those that wait may have got what they waited for meanwhile: look again.
  for (uint32_t i = 0; i < length; ++i) {
    bool unknown = false;
    const uint32_t next = next_in_chain(chain[i], unknown);
    if (next != (i + 1 < length ? chain[i + 1] : me)) return;
  }
  ReportEntry entry;
  entry.line("deadlock");
  Slot& mine = *self.slot;
  entry.access(mine, true, reinterpret_cast<uint64_t>(mutex), 1, site, mine.calls, mine.depth);
  for (uint32_t i = 0; i < length; ++i) {
    const Slot& slot = slots[chain[i]];
    entry.access(slot, true, slot.waits_for.load(), 1, slot.waits_at, slot.calls,
                 slot.depth.load());
  }
}

namespace {
// Of all sections.
bool any_place_matched() {
  for (const SectionCount& count : counts) {
    if (count.entered + count.kept_out + count.skipped != 0) return true;
  }
  return false;
}
}  // namespace

void report_healing() {
  if (settings().healing == Healing::none) return;
  const int fd = settings().log != nullptr
                     ? ::open(settings().log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)
                     : STDERR_FILENO;
  if (fd < 0) return;
  for (uint32_t i = 0; i < settings().section_count && i < kMostCounts; ++i) {
    const SectionCount& count = counts[i];
    const SectionEntry& section = settings().sections[i];
    if (count.entered + count.kept_out + count.skipped == 0) continue;
    ::dprintf(
        fd,
        "foretrace: healed %s of %s at %s: entered %lu times, %lu times others were kept out, "
        "%lu times the lock was skipped%s%s\n",
        section.kind, section.variable, section.place, count.entered.load(), count.kept_out.load(),
        count.skipped.load(),
        section.synchronises    ? "; not locked, as it synchronises"
        : count.given_up.load() ? "; not locked any more after one wait that took too long"
                                : "",
        count.late.load() != 0 ? "; locked only behind its first read (build with foretrace "
                                 "c++ --heal)"
                               : "");
  }
  if (!any_place_matched()) {
    ::dprintf(
        fd,
        "foretrace: nothing was healed: the program came to no place of the sections that "
        "has a hook (build it with foretrace c++ --heal=FILE; what is not built by Clang 22 needs "
        "'foretrace sections locate')\n");
  }
  if (!may_raise_priority.load()) {
    ::dprintf(fd, "foretrace: priorities were not raised: the system does not permit it\n");
  }
  if (fd != STDERR_FILENO) ::close(fd);
}

}  // namespace foretrace::steering
