#include "analyses/serializability/unit_rings.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace foretrace::serializability {

bool Ring::in_trace() const {
  for (size_t i = 0; i < ends.size(); i += 2) {
    if (ends[i].index > ends[i + 1].index) return false;
  }
  return true;
}

// All ways from a unit through other threads, each of them once, and back.
class UnitRings::Search {
 public:
  Search(UnitRings& rings, const std::vector<Walk>& walks)
      : rings_(rings), walks_(walks), visited_(walks.size()) {
    for (ThreadId thread = 0; thread < walks.size(); ++thread) {
      const std::vector<WalkStep>& steps = walks[thread].steps;
      for (uint32_t i = 0; i < steps.size(); ++i) {
        places_[key_of(steps[i].use)].push_back({thread, i, step_count_++});
      }
    }
  }

  // For each place that the unit can lead to, the first use that does is enough:
  // an earlier event is before whatever a later one is before, and the unit holds
  // more locks after a later one.
  void run(uint32_t label, const PastUnit& unit) {
    label_ = label;
    unit_ = &unit;
    visited_[unit.thread] = 1;
    Marks reached(step_count_);
    for (const Use& out : unit.uses) {
      const LocksetId kept = held_until(out, unit.uses.back());
      for_each_conflict(out, reached, [&](Place in) {
        if (!rings_.locksets_.exclude_each_other(kept, needed_for(use_at(in)))) enter(out, in);
      });
    }
    visited_[unit.thread] = 0;
  }

 private:
  using Marks = std::vector<uint8_t>;
  // A step of a thread's walk, and its number among those of all threads.
  struct Place {
    ThreadId thread;
    uint32_t step;
    uint32_t number;
  };

  const Use& use_at(Place place) const { return walks_[place.thread].steps[place.step].use; }

  // The conflicting steps of threads that the way has not been to, each once.
  template <typename Visit>
  void for_each_conflict(const Use& use, Marks& reached, const Visit& visit) {
    const auto places = places_.find(key_of(use));
    if (places == places_.end()) return;
    for (const Place place : places->second) {
      if (visited_[place.thread] != 0 || !conflict(use, use_at(place))) continue;
      if (std::exchange(reached[place.number], uint8_t{1}) != 0) continue;
      if (work_++ >= kWork) {
        if (work_ == kWork + 1) ++rings_.left_out_;
        return;
      }
      visit(place);
    }
  }

  // Goes to a thread, and on from there.
  void enter(const Use& from, Place in) {
    const std::vector<WalkStep>& steps = walks_[in.thread].steps;
    ends_.push_back(from);
    ends_.push_back(steps[in.step].use);
    visited_[in.thread] = 1;
    Marks reached(step_count_);
    Marks back_in(unit_->uses.size());
    for (uint32_t i = 0; i < steps.size(); ++i) {
      const bool in_one_unit = steps[i].unit != 0 && steps[i].unit == steps[in.step].unit;
      if (i < in.step && !in_one_unit) continue;
      labels_.push_back(in_one_unit ? steps[i].label : kNoLabel);
      if (ends_.size() >= 4) close(steps[i].use, back_in);
      for_each_conflict(steps[i].use, reached, [&](Place next) { enter(steps[i].use, next); });
      labels_.pop_back();
    }
    visited_[in.thread] = 0;
    ends_.resize(ends_.size() - 2);
  }

  void close(const Use& from, Marks& back_in) {
    for (size_t i = 0; i < unit_->uses.size(); ++i) {
      const Use& to = unit_->uses[i];
      // In some unit of a ring the way out comes before the way in.
      if (to.index <= ends_.front().index || !conflict(from, to)) continue;
      if (std::exchange(back_in[i], uint8_t{1}) != 0 || is_excluded(from, to)) continue;
      Ring ring = {ends_, {label_}, 0};
      ring.ends.push_back(from);
      ring.ends.push_back(to);
      for (const uint32_t label : labels_) {
        if (label != kNoLabel) ring.labels.push_back(label);
      }
      rings_.add(std::move(ring));
    }
  }

  // What the others do comes between the unit's way out and its way in: nothing of
  // it can need a lock that the unit holds all the time.
  bool is_excluded(const Use& from, const Use& to) {
    const LocksetId held = held_until(ends_.front(), to);
    const auto excludes = [&](const Use& use) {
      return rings_.locksets_.exclude_each_other(held, needed_for(use));
    };
    return excludes(from) || std::any_of(ends_.begin() + 1, ends_.end(), excludes);
  }

  // With the lock that it acquires, if it does.
  LocksetId needed_for(const Use& use) {
    if (space_of(use.op) != Space::lock) return use.held;
    return rings_.locksets_.with(use.held, {use.object, only_reads(use.op)});
  }

  // The locks that the unit holds after one of its uses and up to another.
  LocksetId held_until(const Use& first, const Use& last) {
    LocksetId held = needed_for(first);
    for (const Release& release : unit_->releases) {
      if (release.index <= first.index || release.index >= last.index) continue;
      for (const bool shared : {false, true}) {
        held = rings_.locksets_.without(held, {release.lock, shared});
      }
    }
    return held;
  }

  static constexpr uint32_t kNoLabel = UINT32_MAX;

  UnitRings& rings_;
  const std::vector<Walk>& walks_;
  tsl::robin_map<uint64_t, std::vector<Place>, IntegerHash> places_;  // by thing
  uint32_t step_count_ = 0;
  uint32_t label_ = 0;
  const PastUnit* unit_ = nullptr;
  Marks visited_;                 // by thread
  std::vector<Use> ends_;         // of the way so far, but for the unit's in
  std::vector<uint32_t> labels_;  // of the threads that it has been to
  size_t work_ = 0;
};

void UnitRings::look(const std::vector<Candidate>& units, const std::vector<Walk>& walks) {
  Search search(*this, walks);
  for (const auto& [label, unit] : units) search.run(label, *unit);
}

void UnitRings::add(Ring ring) {
  std::vector<uint32_t> labels = ring.labels;
  std::sort(labels.begin(), labels.end());
  uint64_t key = 0;
  for (const uint32_t label : labels) key = mixed(key + label + 1);
  const auto [entry, fresh] = group_numbers_.try_emplace(key, groups_.size());
  if (fresh) groups_.emplace_back();
  Group& group = groups_[entry->second];
  if (ring.in_trace()) group.observed = true;
  if (group.observed) return;
  ring.group = entry->second + 1;
  uint64_t looks = mixed(ring.group);
  uint64_t edges = 0;  // the same wherever the ring begins
  for (size_t i = 0; i < ring.ends.size(); i += 2) {
    looks = with_looks(with_looks(looks, ring.ends[i]), ring.ends[i + 1]);
    edges += mixed(mixed(ring.ends[i].index) + ring.ends[i + 1].index);
  }
  if (!seen_.insert(mixed(edges)).second) return;
  size_t& alike = alike_[looks];
  if (alike == kAlike || group.tried == kTried) {
    ++left_out_;
    return;
  }
  ++alike;
  ++group.tried;
  found_.push_back(std::move(ring));
}

// The shortest first, and those by accesses: they say more to a reader than those
// by locks.
std::vector<Ring> UnitRings::take() {
  std::erase_if(found_, [&](const Ring& ring) { return groups_[ring.group - 1].observed; });
  const auto locks = [](const Ring& ring) {
    return std::count_if(ring.ends.begin(), ring.ends.end(),
                         [](const Use& use) { return space_of(use.op) == Space::lock; });
  };
  std::stable_sort(found_.begin(), found_.end(), [&](const Ring& a, const Ring& b) {
    return std::tuple(a.group, a.ends.size(), locks(a)) <
           std::tuple(b.group, b.ends.size(), locks(b));
  });
  return std::move(found_);
}

}  // namespace foretrace::serializability
