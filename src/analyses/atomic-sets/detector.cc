#include "analyses/atomic-sets/detector.h"

#include <algorithm>

#include "base/table.h"

namespace foretrace::atomic_sets {

// ---- units

const Detector::Summary* Detector::Unit::find(LocationId location) const {
  if (summaries_.size() <= kFew) {
    for (const Summary& summary : summaries_) {
      if (summary.location == location) return &summary;
    }
    return nullptr;
  }
  const auto place = places_.find(location);
  return place == places_.end() ? nullptr : &summaries_[place->second];
}

Detector::Summary& Detector::Unit::add(LocationId location) {
  if (const Summary* const known = find(location)) {
    return summaries_[static_cast<size_t>(known - summaries_.data())];
  }
  Summary& made = summaries_.emplace_back();
  made.location = location;
  if (summaries_.size() > kFew) {
    for (size_t i = places_.size(); i < summaries_.size(); ++i) {
      places_[summaries_[i].location] = static_cast<uint32_t>(i);
    }
  }
  return made;
}

Detector::Unit* Detector::find(Set& set, ThreadId thread) {
  for (const std::unique_ptr<Unit>& unit : set.live) {
    if (unit->thread == thread) return unit.get();
  }
  return nullptr;
}

// ---- automata

const Detector::Accesses* Detector::accesses(const Binding& binding,
                                             const PatternAccess& access) const {
  const Unit& unit = access.other ? binding.other : binding.u;
  const Summary* const summary = unit.find(access.second ? binding.second : binding.first);
  if (summary == nullptr) return nullptr;
  const Accesses& found = summary->kinds[access.writes ? 1 : 0];
  return found.noted.empty() ? nullptr : &found;
}

const Moment* Detector::first_after(const Accesses& accesses, uint64_t index) {
  const auto found =
      std::partition_point(accesses.noted.begin(), accesses.noted.end(),
                           [&](const Moment& moment) { return moment.index <= index; });
  return found == accesses.noted.end() ? nullptr : &*found;
}

// The earliest first access, the earliest second one after it, and of the third
// ones the latest: if that comes too early, all do.
std::optional<std::array<Moment, 4>> Detector::all_but_last(const Binding& binding) const {
  const Pattern& pattern = binding.pattern;
  const Accesses* const first = accesses(binding, pattern.accesses[0]);
  if (first == nullptr) return std::nullopt;
  const Moment& one = first->noted.front();
  const Accesses* const second = accesses(binding, pattern.accesses[1]);
  const Moment* const two = second == nullptr ? nullptr : first_after(*second, one.index);
  if (two == nullptr) return std::nullopt;
  if (pattern.length == 3) return std::array<Moment, 4>{one, *two, {}, {}};
  const Accesses* const third = accesses(binding, pattern.accesses[2]);
  if (third == nullptr || third->last.index <= two->index) return std::nullopt;
  return std::array<Moment, 4>{one, *two, third->last, {}};
}

ViolationKey Detector::key_of(SetId set, const Binding& binding) {
  const auto pattern = static_cast<uint8_t>(&binding.pattern - kPatterns.data());
  return {set, pattern, binding.u.thread, binding.other.thread, binding.first, binding.second};
}

void Detector::report(const Awaited& awaited, const Moment& now) {
  if (!reported_.insert(awaited.key).second) return;
  Violation violation = {awaited.key, awaited.label, awaited.other_label, awaited.moments};
  violation.moments[kPatterns[awaited.key.pattern].length - 1U] = now;
  report_(violation);
}

// ---- accesses

bool Detector::access(SetId set_id, ThreadId thread, uint32_t label, const Event& event,
                      const Moment& now) {
  Set& set = slot(sets_, set_id);
  Unit* unit = find(set, thread);
  const bool begins = unit == nullptr;
  if (begins) {
    set.live.push_back(std::make_unique<Unit>(thread, label));
    unit = set.live.back().get();
  }
  const bool writes = event.op() == Op::wr;
  Summary& summary = unit->add(event.object);
  finish_awaited(*unit, summary, writes, now);
  for (const std::unique_ptr<Unit>& partner : set.live) {
    // If all that the partner did was before this unit began, they do not interleave.
    if (partner->last <= unit->first || partner.get() == unit) continue;
    finish_with(set_id, *unit, *partner, event.object, writes, now);
  }
  note(set, *unit, summary, writes, now);
  return begins;
}

void Detector::finish_awaited(Unit& unit, Summary& summary, bool writes, const Moment& now) {
  for (const Awaited& awaited : summary.awaited[writes ? 1 : 0]) {
    report(awaited, now);
    unit.awaited.erase(awaited.key);
  }
  summary.awaited[writes ? 1 : 0].clear();
}

// Runs the automata of the two units for which this access may be the last one.
// Of a pattern, each unit accesses every location.
void Detector::finish_with(SetId set, const Unit& unit, const Unit& partner, LocationId location,
                           bool writes, const Moment& now) {
  const Summary* const theirs = partner.find(location);
  if (theirs == nullptr || !theirs->is_touched()) return;
  const auto try_all = [&](LocationId other_location) {
    for (const Pattern& pattern : kPatterns) {
      const PatternAccess& last = pattern.last();
      if (last.writes != writes) continue;
      if (pattern.has_two_locations() != (other_location != kNoLocation)) continue;
      try_last(set,
               {pattern, last.other ? partner : unit, last.other ? unit : partner,
                last.second ? other_location : location, last.second ? location : other_location},
               now);
    }
  };
  try_all(kNoLocation);
  const bool mine_are_fewer = unit.summaries().size() <= partner.summaries().size();
  const Unit& longer = mine_are_fewer ? partner : unit;
  for (const Summary& one : (mine_are_fewer ? unit : partner).summaries()) {
    if (one.location == location || !one.is_touched()) continue;
    const Summary* const same = longer.find(one.location);
    if (same != nullptr && same->is_touched()) try_all(one.location);
  }
}

void Detector::try_last(SetId set, const Binding& binding, const Moment& now) {
  const auto moments = all_but_last(binding);
  if (!moments) return;
  report({key_of(set, binding), binding.u.label, binding.other.label, *moments}, now);
}

void Detector::note(Set& set, Unit& unit, Summary& summary, bool writes, const Moment& now) {
  summaries_ += summary.is_touched() ? 0 : 1;
  most_summaries_ = std::max(most_summaries_, summaries_);
  Accesses& kind = summary.kinds[writes ? 1 : 0];
  const bool is_first = kind.noted.empty();
  if (is_first) ++set.firsts;
  if (is_first || kind.noted_at != set.firsts) {
    kind.noted.push_back(now);
    kind.noted_at = set.firsts;
  }
  kind.last = now;
  unit.first = std::min(unit.first, now.index);
  unit.last = now.index;
}

// Alone, an access can only be the one in the middle of patterns 1 to 5.
void Detector::lone_access(SetId set_id, const Event& event, const Moment& now) {
  const bool writes = event.op() == Op::wr;
  Set& set = slot(sets_, set_id);
  const Unit lone(event.thread, kNoLabel);
  for (const std::unique_ptr<Unit>& unit : set.live) {
    const Summary* const summary = unit->find(event.object);
    if (unit->thread == event.thread || summary == nullptr) continue;
    for (const Pattern& pattern : kPatterns) {
      if (pattern.has_two_locations() || pattern.accesses[1].writes != writes) continue;
      const Accesses& first = summary->kinds[pattern.accesses[0].writes ? 1 : 0];
      if (first.noted.empty()) continue;
      const Binding binding = {pattern, *unit, lone, event.object, kNoLocation};
      add_awaited(*unit, event.object, pattern.last().writes,
                  {key_of(set_id, binding), unit->label, kNoLabel, {first.noted.front(), now}});
    }
  }
}

// ---- ends

void Detector::end(SetId set_id, ThreadId thread) {
  Set& set = slot(sets_, set_id);
  const auto place =
      std::find_if(set.live.begin(), set.live.end(),
                   [&](const std::unique_ptr<Unit>& unit) { return unit->thread == thread; });
  if (place == set.live.end()) return;
  const std::unique_ptr<Unit> ended = std::move(*place);
  set.live.erase(place);
  for (const Summary& summary : ended->summaries()) summaries_ -= summary.is_touched() ? 1 : 0;
  for (const std::unique_ptr<Unit>& unit : set.live) {
    if (ended->last > unit->first) leave_traces(set_id, *ended, *unit);
  }
}

void Detector::leave_traces(SetId set, const Unit& ended, Unit& unit) {
  // What both have accessed; the unit gets new summaries meanwhile.
  std::vector<LocationId> common;
  for (const Summary& summary : ended.summaries()) {
    const Summary* const same = unit.find(summary.location);
    if (summary.is_touched() && same != nullptr && same->is_touched()) {
      common.push_back(summary.location);
    }
  }
  for (const LocationId location : common) {
    for (const Pattern& pattern : kPatterns) {
      const bool ended_is_other = !pattern.last().other;
      const Unit& u = ended_is_other ? unit : ended;
      const Unit& other = ended_is_other ? ended : unit;
      if (!pattern.has_two_locations()) {
        await(set, {pattern, u, other, location, kNoLocation}, unit);
        continue;
      }
      // The location of the last access is one that only the ended unit needs to
      // have accessed so far; the other one is common.
      for (const Summary& summary : ended.summaries()) {
        if (summary.location == location || !summary.is_touched()) continue;
        const bool last_is_second = pattern.last().second;
        await(set,
              {pattern, u, other, last_is_second ? location : summary.location,
               last_is_second ? summary.location : location},
              unit);
      }
    }
  }
}

void Detector::await(SetId set, const Binding& binding, Unit& unit) {
  const auto moments = all_but_last(binding);
  if (!moments) return;
  const PatternAccess& last = binding.pattern.last();
  add_awaited(unit, last.second ? binding.second : binding.first, last.writes,
              {key_of(set, binding), binding.u.label, binding.other.label, *moments});
}

void Detector::add_awaited(Unit& unit, LocationId location, bool writes, const Awaited& awaited) {
  if (reported_.contains(awaited.key) || !unit.awaited.insert(awaited.key).second) return;
  unit.add(location).awaited[writes ? 1 : 0].push_back(awaited);
}

void Detector::forget(SetId set) {
  if (set >= sets_.size()) return;
  for (const std::unique_ptr<Unit>& unit : sets_[set].live) {
    for (const Summary& summary : unit->summaries()) summaries_ -= summary.is_touched() ? 1 : 0;
  }
  sets_[set].live.clear();
}

}  // namespace foretrace::atomic_sets
