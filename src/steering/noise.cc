#include "steering/noise.h"

#include "steering/hold.h"

namespace foretrace::steering {

bool has_noise = false;

namespace {

// ---- where

// Which thread was at a granule first, and whether several were: bit 31. Granules
// that share an entry may look shared; that costs noise, nothing else.
constexpr uint64_t kGranules = 1U << 16;
constexpr uint32_t kShared = 1U << 31;
struct Visitor {
  std::atomic<uint32_t> thread;
  std::atomic<bool> wrote;
  SiteRef site = {};  // where the first one was; two that write it at once leave one of both
};
constinit Visitor visitors[kGranules];

Visitor& visitor_of(uint64_t address) {
  const uint64_t granule = address >> 4;
  return visitors[(granule ^ granule >> 16) & (kGranules - 1)];
}

// Whether several threads were there; `first` is set to the first one's entry when
// this is the second.
bool is_shared(uint64_t address, bool write, SiteRef site, const Visitor*& first) {
  Visitor& entry = visitor_of(address);
  const uint32_t seen = entry.thread.load(std::memory_order_relaxed);
  if ((seen & kShared) != 0) return true;
  // Not the slot: the next thread may have it.
  const uint32_t me = (self.number + 1) & ~kShared;
  if (seen == me) return false;
  if (seen == 0) {
    entry.site = site;
    entry.wrote.store(write, std::memory_order_relaxed);
    entry.thread.store(me, std::memory_order_release);
    return false;
  }
  first = &entry;
  entry.thread.store(kShared, std::memory_order_relaxed);
  return true;
}

uint64_t hash_of(SiteRef site) {
  const uint64_t bits = site.is_code() ? site.code() : reinterpret_cast<uint64_t>(site.site());
  return (bits * 0x9E3779B97F4A7C15U) >> 48;
}

// Places where two threads were seen, and those of synchronisation, told once each.
constexpr uint64_t kTold = 1U << 18;
std::atomic<bool> told[kTold];

enum class Told : uint8_t { visited, shared, sync };

void tell(uint64_t address, bool write, SiteRef site, Told what) {
  static constexpr const char* kWords[] = {"visited", "shared", "sync"};
  const uint64_t variant = static_cast<uint64_t>(what) * 2 + (write ? 1 : 0);
  std::atomic<bool>& place = told[(hash_of(site) * 6 + variant) & (kTold - 1)];
  if (place.load(std::memory_order_relaxed) || place.exchange(true)) return;
  ReportEntry entry;
  entry.line("%s", kWords[static_cast<int>(what)]);
  const Slot& slot = *self.slot;
  entry.access(slot, write, address, 1, site, slot.calls,
               slot.depth.load(std::memory_order_relaxed));
}

// The more noise a place had, the rarer it gets there: loops would use it all up.
std::atomic<uint16_t> had[1U << 16];

bool is_its_turn(SiteRef site) {
  const uint32_t before = had[hash_of(site)].load(std::memory_order_relaxed);
  return before < 8 || next_random() % (before / 4) == 0;
}

void note_noise(SiteRef site) {
  std::atomic<uint16_t>& count = had[hash_of(site)];
  const uint16_t before = count.load(std::memory_order_relaxed);
  if (before < UINT16_MAX) {
    count.store(static_cast<uint16_t>(before + 1), std::memory_order_relaxed);
  }
}

// ---- how

void spin_for(uint64_t nanoseconds) {
  const uint64_t end = now() + nanoseconds;
  while (now() < end) __builtin_ia32_pause();
}

bool has_budget() {
  if (self.noise_spent < settings().budget) return true;
  if (self.noise_spent != UINT64_MAX) {
    self.noise_spent = UINT64_MAX;  // told once
    if (ReportHeader* const report = report_header()) ++report->spent;
  }
  return false;
}

// How long, at random about the strength. Nobody knows how long threads are apart in
// this program, so that one in four is four times as long, and one in four sixteen
// times.
uint64_t random_span() {
  const uint64_t span = settings().strength / 4 + next_random() % (settings().strength + 1);
  const uint64_t scale = next_random() % 4;
  return scale == 0 ? span * 16 : scale == 1 ? span * 4 : span;
}

void disturb(SiteRef site) {
  if (!has_budget()) return;
  const uint64_t span = random_span();
  const uint64_t start = now();
  stay_in_window();
  if (settings().manner == Manner::sleep) {
    pause_for(span);
    give_way();
  } else if (settings().manner == Manner::spin) {
    spin_for(span);
  } else {
    for (uint64_t i = 0; i < 1 + span / (10 * kMicrosecond); ++i) give_way();
  }
  self.noise_spent += now() - start;
  note_noise(site);
  if (ReportHeader* const report = report_header()) ++report->noises;
}

bool chance() { return next_random() % 1000 < settings().frequency; }

// ---- directed: hold one thread at its place until another comes to the other

void meet(SiteRef site) {
  if (!is_its_turn(site) || !has_budget()) return;
  const uint64_t start = now();
  Slot& slot = *self.slot;
  hold_until(settings().hold, [&] { return slot.caught.load(std::memory_order_relaxed); });
  note_noise(site);
  self.noise_spent += now() - start;
}

// ---- priorities (PCT): the thread with the highest priority that can run does

// A thread changes its priority at a few of its hooks, chosen by the seed: here
// once in 64 to 4,096, the later the rarer.
void perhaps_change_priority() {
  ++self.seen;
  const uint64_t span = self.seen < 4096 ? 64 : 4096;
  if (next_random() % span == 0) {
    self.slot->priority.store(static_cast<uint32_t>(next_random() >> 33));
  }
}

bool others_go_first() {
  const uint32_t mine = self.slot->priority.load(std::memory_order_relaxed);
  const uint32_t count = slot_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    const Slot& slot = slots[i];
    if (&slot != self.slot && slot.used.load(std::memory_order_relaxed) &&
        slot.waits_for.load(std::memory_order_relaxed) == 0 &&
        slot.priority.load(std::memory_order_relaxed) > mine) {
      return true;
    }
  }
  return false;
}

void follow_priorities() {
  perhaps_change_priority();
  if (!others_go_first() || !has_budget()) return;
  const uint64_t start = now();
  // A thread that waits for what is not seen here keeps its priority: so this
  // ends after a while.
  hold_until(settings().strength, [] { return !others_go_first(); });
  self.noise_spent += now() - start;
  if (ReportHeader* const report = report_header()) ++report->noises;
}

}  // namespace

void prepare_noise() { has_noise = settings().noise != Noise::none || settings().learn; }

void make_noise(uint64_t address, bool write, SiteRef site) {
  const Settings& wanted = settings();
  if (wanted.shared_only || wanted.learn) {
    const Visitor* first = nullptr;
    const bool shared = is_shared(address, write, site, first);
    if (wanted.learn) tell(address, write, site, shared ? Told::shared : Told::visited);
    if (wanted.learn && first != nullptr) {
      tell(address, first->wrote.load(std::memory_order_relaxed), first->site, Told::shared);
    }
    if (!shared && wanted.shared_only) return;
  }
  switch (wanted.noise) {
    case Noise::none:
      break;
    case Noise::random:
      if (chance() && is_its_turn(site)) disturb(site);
      break;
    case Noise::variable:
    case Noise::location: {
      bool chosen = false;
      for_rules(place_of(site), Purpose::noise, write, [&](const Rule&) { chosen = true; });
      if (chosen && chance() && is_its_turn(site)) disturb(site);
      break;
    }
    case Noise::directed: {
      bool chosen = false;
      for_rules(place_of(site), Purpose::meet, write, [&](const Rule&) { chosen = true; });
      if (chosen && chance()) meet(site);
      break;
    }
    case Noise::priority:
      follow_priorities();
      break;
  }
}

void make_noise_at_sync(SiteRef site) {
  if (settings().learn) tell(0, true, site, Told::sync);
  if (settings().noise == Noise::priority) {
    follow_priorities();
  } else if (settings().noise == Noise::random && chance() && is_its_turn(site)) {
    disturb(site);
  }
}

}  // namespace foretrace::steering
