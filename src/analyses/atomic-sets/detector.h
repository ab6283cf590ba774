// Finds the patterns of paper 002 in the accesses of units to one atomic set
// each.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include "analyses/atomic-sets/patterns.h"
#include "analyses/atomic-sets/set_map.h"
#include "base/hash.h"
#include "order/lockset.h"
#include "trace/event.h"

namespace foretrace::atomic_sets {

inline constexpr uint32_t kNoLabel = UINT32_MAX;
inline constexpr LocationId kNoLocation = UINT32_MAX;

// When and where an access happened.
struct Moment {
  uint64_t index = 0;
  SiteId site = kNoSite;
  LocksetId held = kEmptyLockset;
};

// What tells violations apart: of those that agree in all of it, one is enough.
struct ViolationKey {
  SetId set;
  uint8_t pattern;  // place in kPatterns
  ThreadId thread;  // of u
  ThreadId other_thread;
  LocationId first;   // l1
  LocationId second;  // l2; kNoLocation for patterns of one location
  bool operator==(const ViolationKey&) const = default;
};

struct Violation {
  ViolationKey key;
  uint32_t label;        // of u
  uint32_t other_label;  // of u'; kNoLabel: an access outside of all units
  std::array<Moment, 4> moments;
};

// The race automata of section 3. The state of the automata of a pair of units
// follows from when each of them accessed what: so what is kept is the summary of
// each live unit and location, (u, *, l, *), and an automaton is run when an
// access comes that could be its last. What is left of a unit that has ended is
// only which automata of live units are one access short of accepting; whose
// thread it was matters there, but not which of the thread's units it was. So
// memory and time follow what is live.
class Detector {
 public:
  explicit Detector(std::function<void(const Violation&)> report) : report_(std::move(report)) {}

  // An access by the unit that the thread has open on the set. The first one begins
  // it, and gives true.
  bool access(SetId set, ThreadId thread, uint32_t label, const Event& event, const Moment& now);
  // An access outside of all units of the set: a unit of its own.
  void lone_access(SetId set, const Event& event, const Moment& now);
  // The end of that unit.
  void end(SetId set, ThreadId thread);
  // The set's object is gone, or is a new one at the same place.
  void forget(SetId set);

  // How many summaries there were at once, at most.
  uint64_t most_summaries() const { return most_summaries_; }

 private:
  // The reads or the writes of a location by a unit.
  struct Accesses {
    // The first one, and the first one after each time that some unit first read
    // or first wrote a location of the set: no automaton asks for others.
    std::vector<Moment> noted;
    uint64_t noted_at = 0;  // Set::firsts when the last one was noted
    Moment last;
  };
  // An automaton that only waits for its last access, which is the unit's.
  struct Awaited {
    ViolationKey key;
    uint32_t label;
    uint32_t other_label;
    std::array<Moment, 4> moments;
  };
  struct Summary {
    LocationId location = 0;
    std::array<Accesses, 2> kinds;                // reads, writes
    std::array<std::vector<Awaited>, 2> awaited;  // by the kind of the last access
    bool is_touched() const { return !kinds[0].noted.empty() || !kinds[1].noted.empty(); }
  };
  struct KeyHash {
    size_t operator()(const ViolationKey& key) const {
      const uint64_t threads = uint64_t{key.thread} << 32 | key.other_thread;
      const uint64_t locations = uint64_t{key.first} << 32 | key.second;
      return mixed(mixed(threads) + locations) + mixed(uint64_t{key.set} << 8 | key.pattern);
    }
  };
  using Keys = tsl::robin_set<ViolationKey, KeyHash>;

  // A unit of work as far as it concerns one set.
  class Unit {
   public:
    Unit(ThreadId its_thread, uint32_t its_label) : thread(its_thread), label(its_label) {}
    const Summary* find(LocationId location) const;
    Summary& add(LocationId location);
    std::span<const Summary> summaries() const { return summaries_; }

    const ThreadId thread;
    const uint32_t label;
    uint64_t first = UINT64_MAX;  // the index of its first access
    uint64_t last = 0;
    Keys awaited;  // what its summaries await

   private:
    static constexpr size_t kFew = 8;
    std::vector<Summary> summaries_;
    tsl::robin_map<LocationId, uint32_t, IntegerHash> places_;  // if there are more than a few
  };
  struct Set {
    std::vector<std::unique_ptr<Unit>> live;
    uint64_t firsts = 0;  // how often a unit first read or first wrote a location
  };
  // Units and locations that stand for those of a pattern.
  struct Binding {
    const Pattern& pattern;
    const Unit& u;
    const Unit& other;
    LocationId first;
    LocationId second;
  };

  Unit* find(Set& set, ThreadId thread);
  const Accesses* accesses(const Binding& binding, const PatternAccess& access) const;
  // Runs the automaton up to its last access, without that.
  std::optional<std::array<Moment, 4>> all_but_last(const Binding& binding) const;
  static const Moment* first_after(const Accesses& accesses, uint64_t index);
  static ViolationKey key_of(SetId set, const Binding& binding);

  void finish_awaited(Unit& unit, Summary& summary, bool writes, const Moment& now);
  void finish_with(SetId set, const Unit& unit, const Unit& partner, LocationId location,
                   bool writes, const Moment& now);
  void try_last(SetId set, const Binding& binding, const Moment& now);
  void note(Set& set, Unit& unit, Summary& summary, bool writes, const Moment& now);

  // Leaves what `ended` has done to `unit`, which goes on.
  void leave_traces(SetId set, const Unit& ended, Unit& unit);
  void await(SetId set, const Binding& binding, Unit& unit);
  void add_awaited(Unit& unit, LocationId location, bool writes, const Awaited& awaited);
  void report(const Awaited& awaited, const Moment& now);

  std::function<void(const Violation&)> report_;
  std::vector<Set> sets_;
  Keys reported_;
  uint64_t summaries_ = 0;
  uint64_t most_summaries_ = 0;
};

}  // namespace foretrace::atomic_sets
