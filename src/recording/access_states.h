// What is known of the accesses of some memory, as small numbers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "recording/hard_order.h"

namespace foretrace {

// As in FastTrack: the last write, and the reads since then. Memory with the same
// past has the same number.
class AccessStates {
 public:
  using Id = uint32_t;
  static constexpr Id kUntouched = 0;
  // Clashing accesses are not ordered, or it matters for another reason.
  static constexpr Id kMatters = 1;

  // The order must outlive this.
  explicit AccessStates(HardOrder& order);

  struct Access {
    uint32_t thread;
    Epoch now;
    bool write;
    bool matters;  // whatever came before
  };
  // What an access makes of a state.
  Id after(Id state, const Access& access) {
    if (state == kMatters || access.matters) return kMatters;
    Known& known = known_[(state * 2654435761U >> 20 ^ access.thread * 2 ^
                           static_cast<uint32_t>(access.write)) %
                          kKnown];
    if (known.state != state || known.thread != access.thread || known.write != access.write ||
        known.version != order_.version()) {
      known = {state, access.thread, access.write, compute(state, access), order_.version()};
    }
    return known.after;
  }

  // Most states are of epochs that are long over. When there are many:
  bool are_many() const { return states_.size() > most_; }
  // first keep() for each number that is used, which gives its new one,
  void begin_dropping();
  Id keep(Id state);
  // then this.
  void end_dropping();

 private:
  struct State {
    Epoch write;
    std::vector<Epoch> reads;  // by thread
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
    uint64_t version = UINT64_MAX;
  };
  static constexpr uint32_t kKnown = 1024;

  Id compute(Id state, const Access& access);
  Id number_of(State state);

  HardOrder& order_;
  std::vector<State> states_;
  tsl::robin_map<State, Id, StateHash> numbers_;
  std::array<Known, kKnown> known_;
  std::vector<State> old_states_;  // while dropping
  std::vector<Id> new_numbers_;
  size_t most_ = size_t{1} << 20;
};

}  // namespace foretrace
