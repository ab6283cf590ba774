#include "analyses/serializability/unit_walks.h"

#include <algorithm>
#include <iterator>

#include "base/table.h"

namespace foretrace::serializability {

void UnitWalks::use(const Use& use, uint64_t unit, uint32_t label) {
  Walk& walk = slot(walks_, use.event.thread);
  walk.steps.push_back({use, unit, label});
  ++walk.fresh;
  if (walk.steps.size() == kWalk) roll(walk, use.event.thread);
}

void UnitWalks::release(ThreadId thread, LockId lock, uint64_t index) {
  slot(walks_, thread).releases.push_back({lock, index});
}

// Forgets the older half of the walk.
void UnitWalks::roll(Walk& walk, ThreadId thread) {
  compare_with_units(walk, thread);
  // Seldom, and ever more seldom: it costs much, and most of a long trace is alike.
  if (++rolls_ >= 2 * rolls_at_rings_) look_for_rings();
  walk.fresh = 0;
  walk.steps.erase(walk.steps.begin(), walk.steps.begin() + kWalk / 2);
  const uint64_t first = walk.steps.front().use.index;
  std::erase_if(walk.releases, [&](const Release& release) { return release.index < first; });
  ++left_out_;
}

void UnitWalks::end(ThreadId thread, uint32_t id, uint64_t number) {
  Label& label = slot(labels_, id);
  if (label.looks > kLooks) {
    ++left_out_;
    return;
  }
  const Walk& own = slot(walks_, thread);
  PastUnit unit = {.thread = thread, .number = number, .uses = {}, .releases = own.releases};
  for (const WalkStep& step : own.steps) {
    if (step.unit == number) unit.uses.push_back(step.use);
  }
  if (unit.uses.size() < 2) return;
  if (unit.uses.size() > kUses) {
    left_out_ += unit.uses.size() - kUses;
    unit.uses.resize(kUses);
  }
  const uint64_t first = unit.uses.front().index;
  std::erase_if(unit.releases, [&](const Release& release) { return release.index < first; });
  for (ThreadId other = 0; other < walks_.size() && label.looks <= kLooks; ++other) {
    if (other != thread && !walks_[other].steps.empty() && may_look(label)) {
      compare(id, unit, walks_[other]);
    }
  }
  if (label.looks > kLooks) return;
  if (label.latest.size() == kUnits) {
    label.latest.erase(label.latest.begin());
    ++left_out_;
  }
  label.latest.push_back(std::move(unit));
}

bool UnitWalks::may_look(Label& label) {
  if (++label.looks <= kLooks) return true;
  ++left_out_;
  label.latest.clear();
  return false;
}

// What the thread has done since they ended.
void UnitWalks::compare_with_units(const Walk& walk, ThreadId thread) {
  if (walk.fresh == 0) return;
  for (uint32_t id = 0; id < labels_.size(); ++id) {
    Label& label = labels_[id];
    for (size_t i = 0; i < label.latest.size(); ++i) {
      if (label.latest[i].thread != thread && may_look(label)) compare(id, label.latest[i], walk);
    }
  }
}

void UnitWalks::look_for_rings() {
  rolls_at_rings_ = rolls_;
  std::vector<UnitRings::Candidate> units;
  for (uint32_t id = 0; id < labels_.size(); ++id) {
    for (const PastUnit& unit : labels_[id].latest) units.push_back({id, &unit});
  }
  if (!units.empty()) rings_.look(units, walks_);
}

void UnitWalks::compare(uint32_t label, const PastUnit& unit, const Walk& walk) {
  for (const WalkStep& in : walk.steps) {
    for (const Use& back_in : unit.uses) {
      if (key_of(in.use) != key_of(back_in)) try_walk(label, unit, walk, in, back_in);
    }
  }
}

void UnitWalks::try_walk(uint32_t label, const PastUnit& unit, const Walk& walk, const WalkStep& in,
                         const Use& back_in) {
  const auto end = std::find_if(unit.uses.begin(), unit.uses.end(),
                                [&](const Use& use) { return use.index == back_in.index; });
  const auto out = std::find_if(std::reverse_iterator(end), unit.uses.rend(),
                                [&](const Use& use) { return conflict(use, in.use); });
  if (out == unit.uses.rend()) return;
  const auto back_out =
      std::find_if(walk.steps.begin(), walk.steps.end(), [&](const WalkStep& step) {
        return step.use.index > in.use.index && conflict(step.use, back_in);
      });
  if (back_out == walk.steps.end()) return;
  const bool comes_back_earlier =
      std::any_of(out.base(), end, [&](const Use& use) { return conflict(use, back_out->use); });
  const bool is_in_one_unit = in.unit != 0 && in.unit == back_out->unit;
  if (comes_back_earlier || is_in_one_unit) return;
  Tangle tangle = {*out, in.use, back_out->use, back_in, label, 0, false, 0};
  Group& group = group_of(tangle);
  if (out->index < in.use.index && back_out->use.index < back_in.index) {
    group.observed = true;
    return;
  }
  if (locksets_.exclude_each_other(held_through(locksets_, unit.releases, *out, back_in),
                                   held_through(locksets_, walk.releases, in.use, back_out->use))) {
    return;
  }
  tangle.group = static_cast<uint64_t>(&group - groups_.data()) + 1;
  if (!seen_.insert(mixed(mixed(mixed(tangle.group) + in.use.index) + back_in.index)).second)
    return;
  if (group.tried == kAlike) {
    ++left_out_;
    return;
  }
  ++group.tried;
  found_.push_back(tangle);
}

// Tangles of units with the same label by the same sites or, without sites, by the
// same things are one error.
UnitWalks::Group& UnitWalks::group_of(const Tangle& tangle) {
  const auto [entry, fresh] =
      group_numbers_.try_emplace(looks_of(tangle, tangle.label), groups_.size());
  if (fresh) groups_.emplace_back();
  return groups_[entry->second];
}

std::vector<Tangle> UnitWalks::take() {
  for (ThreadId thread = 0; thread < walks_.size(); ++thread) {
    compare_with_units(walks_[thread], thread);
    walks_[thread].fresh = 0;
  }
  look_for_rings();
  std::erase_if(found_, [&](const Tangle& one) { return groups_[one.group - 1].observed; });
  std::stable_sort(found_.begin(), found_.end(),
                   [](const Tangle& a, const Tangle& b) { return a.group < b.group; });
  return std::move(found_);
}

}  // namespace foretrace::serializability
