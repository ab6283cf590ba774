#include "steering/noise.h"

#include "steering/hold.h"

namespace foretrace::steering {

bool has_noise = false;

namespace {

// ---- where

// Which thread was at a granule last, and whether several were: bit 31. Granules
// that share an entry may look shared; that costs noise, nothing else.
constexpr uint64_t kGranules = 1U << 16;
constexpr uint32_t kShared = 1U << 31;
std::atomic<uint32_t> visitors[kGranules];

bool is_shared(uint64_t address) {
  const uint64_t granule = address >> 4;
  std::atomic<uint32_t>& entry = visitors[(granule ^ granule >> 16) & (kGranules - 1)];
  const uint32_t seen = entry.load(std::memory_order_relaxed);
  if ((seen & kShared) != 0) return true;
  const uint32_t me = index_of(*self.slot) + 1;
  if (seen == me) return false;
  entry.store(seen == 0 ? me : kShared, std::memory_order_relaxed);
  return seen != 0;
}

uint64_t hash_of(SiteRef site) {
  const uint64_t bits = site.is_code() ? site.code() : reinterpret_cast<uint64_t>(site.site());
  return (bits * 0x9E3779B97F4A7C15U) >> 48;
}

// Places where two threads were seen, told once each.
constexpr uint64_t kTold = 1U << 16;
std::atomic<bool> told[kTold];

void tell_shared(uint64_t address, bool write, SiteRef site) {
  std::atomic<bool>& place = told[(hash_of(site) * 2 + (write ? 1 : 0)) & (kTold - 1)];
  if (place.load(std::memory_order_relaxed) || place.exchange(true)) return;
  ReportEntry entry;
  entry.line("shared");
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

// The strength is the longest; how long it is each time is random.
void disturb(SiteRef site) {
  if (!has_budget()) return;
  const uint64_t span = settings().strength / 4 + next_random() % (settings().strength + 1);
  const uint64_t start = now();
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
    const bool shared = is_shared(address);
    if (shared && wanted.learn) tell_shared(address, write, site);
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

void make_noise_at_sync() {
  if (settings().noise == Noise::priority) {
    follow_priorities();
  } else if (settings().noise == Noise::random && chance() && is_its_turn(SiteRef())) {
    disturb(SiteRef());
  }
}

}  // namespace foretrace::steering
