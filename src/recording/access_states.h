// What is known of the accesses of some memory, as small numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "recording/hard_order.h"
#include "recording/lock_holders.h"

namespace foretrace {

// Memory with the same past has the same number.
//
// A past is in two parts. Accesses that hold the *guard*, one or more locks, exclude each
// other; of them, each thread's last ones are known. The others are known as in FastTrack: the
// last write, and the reads since then. All accesses come after those of the others, in the
// hard order, that they clash with. So nothing can race; where that does not hold any more,
// something may.
class AccessStates {
 public:
  using Id = uint32_t;
  static constexpr Id kUntouched = 0;
  // Clashing accesses are neither ordered nor excluded by a lock, or it matters for another
  // reason.
  static constexpr Id kMatters = 1;

  // The order must outlive this.
  explicit AccessStates(HardOrder& order);

  struct Access {
    uint32_t thread;
    Epoch now;
    bool write;
    bool matters;                       // whatever came before
    std::span<const HeldNumber> locks;  // that the thread holds
  };
  // What an access makes of a state.
  Id after(Id state, const Access& access) {
    if (state == kMatters || access.matters) {
      may_race_ = true;
      return kMatters;
    }
    const uint64_t locks = access.locks.empty() ? kNoLocks : locks_for(state, access);
    Known& known = known_[(state * 2654435761U >> 20 ^ access.thread * 2 ^
                           static_cast<uint32_t>(access.write) ^ static_cast<uint32_t>(locks)) %
                          kKnown];
    if (known.state != state || known.thread != access.thread || known.write != access.write ||
        known.locks != locks || known.version != order_.version()) {
      known = {state,        access.thread,
               access.write, compute(state, access),
               locks,        locks == kManyLocks ? UINT64_MAX : order_.version()};
      may_race_ |= known.after == kMatters;
    }
    return known.after;
  }

  // Whether there were clashing accesses that the hard order leaves unordered, or atomic ones.
  bool matters(Id state) const { return state == kMatters || states_[state].clashed; }
  // Whether some memory, at some time, was in the state kMatters.
  bool may_race() const { return may_race_; }

  // Most states are of epochs that are long over. When there are many:
  bool are_many() const { return states_.size() > most_; }
  // first keep() for each number that is used, which gives its new one,
  void begin_dropping();
  Id keep(Id state);
  // then this.
  void end_dropping();

 private:
  // The last read, or the last write, of a thread that held the guard.
  struct Guarded {
    Epoch epoch;
    bool write;
    bool operator==(const Guarded&) const = default;
  };
  struct State {
    Epoch write;
    std::vector<Epoch> reads;       // by thread
    std::vector<LockNumber> guard;  // sorted; none: nobody held a lock
    std::vector<Guarded> guarded;   // in the order in which threads came
    // The guarded ones are not all in the hard order, or some are atomic: their order counts.
    bool clashed = false;
    bool operator==(const State&) const = default;
  };
  struct StateHash {
    size_t operator()(const State& state) const;
  };
  // Transitions that were computed lately.
  struct Known {
    Id state = 0;
    uint32_t thread = 0;
    bool write = false;
    Id after = 0;
    uint64_t locks = 0;
    uint64_t version = UINT64_MAX;  // no version is this
  };
  static constexpr uint32_t kKnown = 1024;
  // What of the locks an answer depends on: none, all of the guard's are held, one or two (their
  // numbers, which are larger), or more: then it is not kept.
  static constexpr uint64_t kNoLocks = 0;
  static constexpr uint64_t kAllOfGuard = 1;
  static constexpr uint64_t kManyLocks = UINT64_MAX;

  uint64_t locks_for(Id state, const Access& access) const;
  Id compute(Id state, const Access& access);
  Id add_guarded(const State& state, std::vector<LockNumber> guard, const Access& access);
  Id add_other(const State& state, std::vector<LockNumber> locks, const Access& access);
  Id number_of(State state);

  HardOrder& order_;
  bool may_race_ = false;
  std::vector<State> states_;
  tsl::robin_map<State, Id, StateHash> numbers_;
  std::array<Known, kKnown> known_;
  std::vector<State> old_states_;  // while dropping
  std::vector<Id> new_numbers_;
  size_t most_ = size_t{1} << 20;
};

}  // namespace foretrace
