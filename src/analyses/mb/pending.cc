#include "analyses/mb/pending.h"

#include <algorithm>

#include "analyses/mb/must_before.h"
#include "base/table.h"

namespace foretrace::mb {

// (a, b) is a race if there is no c such that a must come before c and c comes
// before b in b's thread. The stretch has what must come before such a c.
bool PendingClashes::is_ordered(const Stretch& before, const Race& race) {
  const Access& first = race.first.access;
  return MustBefore::has(before, Epoch(first.epoch.thread(), clock_of(first.index)));
}

void PendingClashes::report_ordered_hb(const Stretch& before, std::vector<Race>& hb_races) {
  std::erase_if(hb_races, [&](const Race& race) {
    if (!is_ordered(before, race)) return false;
    reports_.happens_before(race);
    return true;
  });
}

PendingAccess* PendingClashes::make() {
  if (free_.empty()) {
    accesses_.push_back(std::make_unique<PendingAccess>());
    return accesses_.back().get();
  }
  PendingAccess* const access = free_.back();
  free_.pop_back();
  return access;
}

void PendingClashes::add(Stretch& before, LocationId location, uint64_t index,
                         std::vector<Race>& races, std::vector<Race>& hb_races) {
  report_ordered_hb(before, hb_races);
  std::erase_if(races, [&](const Race& race) { return is_ordered(before, race); });
  if (!all_pairs_ && is_racy(location)) races.clear();
  if (races.empty() && hb_races.empty()) return;
  PendingAccess* const access = make();
  access->before = &before;
  access->next = std::exchange(before.pending, access);
  access->location = location;
  access->index = index;
  std::swap(access->races, races);
  std::swap(access->hb_races, hb_races);
  ++size_;
  if (!all_pairs_ && !access->races.empty()) {
    by_location_[location].push_back({.index = index, .decided = false, .race = {}});
  }
}

void PendingClashes::decide(Stretch& before) {
  // They are listed from the last to the first; report them as they came.
  PendingAccess* in_order = nullptr;
  for (PendingAccess* access = std::exchange(before.pending, nullptr); access != nullptr;) {
    PendingAccess* const next = std::exchange(access->next, in_order);
    in_order = std::exchange(access, next);
  }
  while (in_order != nullptr) {
    PendingAccess& access = *std::exchange(in_order, in_order->next);
    decide(access);
    access.races.clear();
    access.hb_races.clear();
    access.before = nullptr;
    free_.push_back(&access);
    --size_;
  }
}

void PendingClashes::decide(PendingAccess& access) {
  report_ordered_hb(*access.before, access.hb_races);
  if (access.races.empty()) return;
  std::erase_if(access.races, [&](const Race& race) { return is_ordered(*access.before, race); });
  if (!all_pairs_) return decide_first(access);
  for (Race& race : access.races) reports_.must_before(race);
}

void PendingClashes::decide_first(PendingAccess& access) {
  if (is_racy(access.location)) return;
  const auto queue = by_location_.find(access.location);
  std::deque<Decision>& decisions = queue.value();
  const auto place =
      std::lower_bound(decisions.begin(), decisions.end(), access.index,
                       [](const Decision& one, uint64_t index) { return one.index < index; });
  place->decided = true;
  for (const Race& race : access.races) {
    if (!place->race || place->race->first.access.index < race.first.access.index) {
      place->race = race;
    }
  }
  // An earlier access may turn out to be racy as well: that one counts.
  while (!decisions.empty() && decisions.front().decided && !decisions.front().race) {
    decisions.pop_front();
  }
  const bool racy = !decisions.empty() && decisions.front().decided;
  if (racy) {
    reports_.must_before(*decisions.front().race);
    slot(racy_, access.location) = 1;
  }
  if (racy || decisions.empty()) by_location_.erase(queue);
}

uint64_t PendingClashes::unordered() const {
  uint64_t count = 0;
  for (const std::unique_ptr<PendingAccess>& access : accesses_) {
    if (access->before == nullptr) continue;
    for (const Race& race : access->races) count += !is_ordered(*access->before, race);
  }
  return count;
}

}  // namespace foretrace::mb
