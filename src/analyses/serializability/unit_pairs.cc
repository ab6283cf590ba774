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
  if (!unit.uses.empty()) unit.releases.push_back({lock, index});
}

void UnitPairs::end(ThreadId thread, uint32_t label, bool knows_all) {
  Unit& open = slot(open_, thread);
  if (open.uses.empty()) return;
  Unit& unit = ring_[++last_number_ % kRing];
  std::swap(unit.uses, open.uses);  // which keeps what was allocated
  std::swap(unit.releases, open.releases);
  open.uses.clear();
  open.releases.clear();
  unit.number = last_number_;
  unit.thread = thread;
  unit.label = label;
  for (const Unit* other : others_of(unit)) {
    if (knows_all && fixed_order_.ordered(other->uses.back().epoch, thread)) continue;
    Group& group = group_of(unit, *other);
    if (group.observed) continue;
    if (++group.looks > kLooks || group.tried == kTried) {
      ++left_out_;
      continue;
    }
    compare(unit, *other);
    compare(*other, unit);
  }
  remember(unit);
}

UnitPairs::LatestUnits& UnitPairs::latest(const Use& use) {
  return slot(space_of(use.op) == Space::lock ? of_locks_ : of_locations_, use.object);
}

UnitPairs::Unit* UnitPairs::unit(UnitNumber number) {
  if (number == 0) return nullptr;
  Unit& unit = ring_[number % kRing];
  if (unit.number == number) return &unit;
  ++left_out_;
  return nullptr;
}

// The last units of other threads that have two things in common with it.
std::vector<const UnitPairs::Unit*> UnitPairs::others_of(const Unit& one) {
  std::vector<const Unit*> others;
  for (const Use& use : one.uses) {
    for (const UnitNumber number : latest(use)) {
      Unit* const other = unit(number);
      if (other == nullptr || other->thread == one.thread) continue;
      if (other->found_by != one.number) {
        other->found_by = one.number;
        other->found_with = key_of(use);
        other->taken = false;
      } else if (other->found_with != key_of(use) && !other->taken) {
        other->taken = true;
        others.push_back(other);
      }
    }
  }
  return others;
}

// For each thing it takes the place of its thread's last unit, or of the oldest.
void UnitPairs::remember(const Unit& one) {
  for (const Use& use : one.uses) {
    LatestUnits& units = latest(use);
    if (units.back() == one.number) continue;
    auto old = std::find_if(units.begin(), units.end(), [&](UnitNumber number) {
      const Unit& other = ring_[number % kRing];
      return number != 0 && other.number == number && other.thread == one.thread;
    });
    if (old == units.end()) old = units.begin();
    if (*old != 0) ++left_out_;
    std::move(old + 1, units.end(), old);
    units.back() = one.number;
  }
}

// All that leads from `one` to `other` with all that leads back.
void UnitPairs::compare(const Unit& one, const Unit& other) {
  const std::vector<Conflict> there = conflicts(one, other);
  const std::vector<Conflict> back = conflicts(other, one);
  for (const Conflict& out : there) {
    for (const Conflict& in : back) {
      if (key_of(*out.to) < key_of(*in.to)) try_tangle(one, other, out, in);
    }
  }
}

// For each use of `to` the first use of `from` that it conflicts with, if any.
std::vector<UnitPairs::Conflict> UnitPairs::conflicts(const Unit& from, const Unit& to) {
  std::vector<Conflict> all;
  for (const Use& use : to.uses) {
    const auto first = std::find_if(from.uses.begin(), from.uses.end(),
                                    [&](const Use& other) { return conflict(other, use); });
    if (first != from.uses.end()) all.push_back({&*first, &use});
  }
  return all;
}

void UnitPairs::try_tangle(const Unit& one, const Unit& other, const Conflict& there,
                           const Conflict& back) {
  const Use& out = *there.from;
  const Use& in = *there.to;
  const Use& back_out = *back.from;
  const Use& back_in = *back.to;
  // Else program order and the two edges make a circle.
  if (back_in.index < out.index && in.index < back_out.index) return;
  Group& group = group_of(one, other);
  if (out.index < in.index && back_out.index < back_in.index) {
    group.observed = true;
    return;
  }
  if (locksets_.exclude_each_other(held_through(locksets_, one.releases, out, back_in),
                                   held_through(locksets_, other.releases, in, back_out))) {
    return;
  }
  const auto number = static_cast<uint64_t>(&group - groups_.data()) + 1;
  const Tangle tangle = {out, in, back_out, back_in, one.label, other.label, true, number};
  size_t& alike = alike_[looks_of(tangle, number)];
  if (group.tried == kTried || alike == kAlike) {
    ++left_out_;
    return;
  }
  ++alike;
  ++group.tried;
  found_.push_back(tangle);
}

UnitPairs::Group& UnitPairs::group_of(const Unit& one, const Unit& other) {
  const auto [low, high] = std::minmax(one.label, other.label);
  const auto [entry, fresh] =
      group_numbers_.try_emplace(uint64_t{low} << 32 | high, groups_.size());
  if (fresh) groups_.emplace_back();
  return groups_[entry->second];
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
