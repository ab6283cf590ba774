#include "analyses/serializability/unit_pairs.h"

#include <algorithm>

#include "base/table.h"

namespace foretrace::serializability {

void UnitPairs::use(const Use& use) {
  Unit& unit = slot(open_, use.event.thread);
  if (unit.uses.size() < kUses) {
    unit.uses.push_back(use);
  } else {
    ++left_out_;
  }
}

void UnitPairs::release(ThreadId thread, LockId lock, uint64_t index) {
  Unit& unit = slot(open_, thread);
  if (!unit.uses.empty()) unit.releases.emplace_back(lock, index);
}

void UnitPairs::end(ThreadId thread, uint32_t label, bool knows_all) {
  const auto unit = std::make_shared<Unit>(std::exchange(slot(open_, thread), {}));
  if (unit->uses.empty()) return;
  unit->thread = thread;
  unit->label = label;
  for (const UnitPointer& other : others_of(*unit)) {
    const bool fixed = knows_all && fixed_order_.ordered(other->uses.back().epoch, thread);
    if (fixed) continue;
    Group& group = group_of(*unit, *other);
    if (group.observed) continue;
    if (++group.looks > kLooks || group.tried == kTried) {
      ++left_out_;
      continue;
    }
    compare(*unit, *other);
    compare(*other, *unit);
  }
  remember(unit);
}

// The last units of other threads that have two things in common with it.
std::vector<UnitPairs::UnitPointer> UnitPairs::others_of(const Unit& unit) const {
  std::vector<std::pair<UnitPointer, uint64_t>> shared;  // with the first common thing
  std::vector<UnitPointer> others;
  for (const Use& use : unit.uses) {
    const auto found = latest_.find(key_of(use));
    if (found == latest_.end()) continue;
    for (const UnitPointer& other : found->second) {
      if (other->thread == unit.thread) continue;
      const auto known = std::find_if(shared.begin(), shared.end(),
                                      [&](const auto& pair) { return pair.first == other; });
      if (known == shared.end()) {
        shared.emplace_back(other, key_of(use));
      } else if (known->second != key_of(use) &&
                 std::find(others.begin(), others.end(), other) == others.end()) {
        others.push_back(other);
      }
    }
  }
  return others;
}

void UnitPairs::remember(const UnitPointer& unit) {
  for (const Use& use : unit->uses) {
    std::vector<UnitPointer>& units = latest_[key_of(use)];
    if (!units.empty() && units.back() == unit) continue;
    const size_t before = units.size();
    std::erase_if(units, [&](const UnitPointer& other) { return other->thread == unit->thread; });
    if (units.size() == kKept) units.erase(units.begin());
    if (units.size() < before) ++left_out_;
    units.push_back(unit);
  }
}

// All that leads from `one` to `other` with all that leads back.
void UnitPairs::compare(const Unit& one, const Unit& other) {
  for (const Use& in : other.uses) {
    for (const Use& back_in : one.uses) {
      if (key_of(in) < key_of(back_in)) try_tangle(one, other, in, back_in);
    }
  }
}

void UnitPairs::try_tangle(const Unit& one, const Unit& other, const Use& in, const Use& back_in) {
  const Use* const out = first_conflicting(one, in);
  const Use* const back_out = first_conflicting(other, back_in);
  if (out == nullptr || back_out == nullptr) return;
  // Else program order and the two edges make a circle.
  if (back_in.index < out->index && in.index < back_out->index) return;
  Group& group = group_of(one, other);
  if (out->index < in.index && back_out->index < back_in.index) {
    group.observed = true;
    return;
  }
  if (locksets_.exclude_each_other(held_through(one, *out, back_in),
                                   held_through(other, in, *back_out))) {
    return;
  }
  const auto number = static_cast<uint64_t>(&group - groups_.data()) + 1;
  const Tangle tangle = {*out, in, *back_out, back_in, one.label, other.label, number};
  size_t& alike = alike_[sites_of(tangle)];
  if (group.tried == kTried || alike == kAlike) {
    ++left_out_;
    return;
  }
  ++alike;
  ++group.tried;
  found_.push_back(tangle);
}

const Use* UnitPairs::first_conflicting(const Unit& unit, const Use& use) {
  const auto found = std::find_if(unit.uses.begin(), unit.uses.end(), [&](const Use& other) {
    return key_of(other) == key_of(use) && !(only_reads(other.op) && only_reads(use.op));
  });
  return found == unit.uses.end() ? nullptr : &*found;
}

// The locks that the unit held at both uses, and did not release in between.
LocksetId UnitPairs::held_through(const Unit& unit, const Use& a, const Use& b) {
  const auto [first, last] = std::minmax(a.index, b.index);
  LocksetId held = kEmptyLockset;
  for (const HeldLock& lock : locksets_.locks(locksets_.intersection(a.held, b.held))) {
    const bool kept = std::none_of(
        unit.releases.begin(), unit.releases.end(), [&, from = first, to = last](const auto& r) {
          return r.first == lock.lock && from < r.second && r.second < to;
        });
    if (kept) held = locksets_.with(held, lock);
  }
  return held;
}

UnitPairs::Group& UnitPairs::group_of(const Unit& one, const Unit& other) {
  const auto [low, high] = std::minmax(one.label, other.label);
  const auto [entry, fresh] =
      group_numbers_.try_emplace(uint64_t{low} << 32 | high, groups_.size());
  if (fresh) groups_.emplace_back();
  return groups_[entry->second];
}

// Without sites, the things themselves.
uint64_t UnitPairs::sites_of(const Tangle& tangle) {
  uint64_t key = tangle.group;
  for (const Use* use : {&tangle.out, &tangle.in, &tangle.back_out, &tangle.back_in}) {
    key = mixed(key + (uint64_t{use->event.site} << 8 | static_cast<uint64_t>(use->op)));
    if (use->event.site == kNoSite) key = mixed(key + key_of(*use) + 1);
  }
  return key;
}

// Those by accesses first: they say more to a reader than those by locks.
std::vector<Tangle> UnitPairs::take() {
  std::erase_if(found_, [&](const Tangle& tangle) { return groups_[tangle.group - 1].observed; });
  const auto locks = [](const Tangle& tangle) {
    return (space_of(tangle.in.op) == Space::lock ? 1 : 0) +
           (space_of(tangle.back_in.op) == Space::lock ? 1 : 0);
  };
  std::stable_sort(found_.begin(), found_.end(), [&](const Tangle& a, const Tangle& b) {
    return std::pair(a.group, locks(a)) < std::pair(b.group, locks(b));
  });
  return std::move(found_);
}

}  // namespace foretrace::serializability
