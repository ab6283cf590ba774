// The kernel: looks for a correct reordering of a trace (Definition 7 of paper
// 000) that reaches a goal, or shows that there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "certify/schedule.h"
#include "order/model.h"

namespace foretrace {

// Two events of which the first is to come before the second.
using EventPair = std::pair<uint64_t, uint64_t>;

// What a reordering is to reach. Numbers are event indexes.
struct Goal {
  // Each of these events, of different threads, is its thread's next one at the
  // end. For a race these are the two accesses; for a deadlock the acquires that
  // block each other: that they do follows from the locks that their threads
  // hold there.
  std::vector<uint64_t> next;
  // All of these events happen, each pair in that order. A unit is interleaved if
  // one of its events comes before, and another one after, events that conflict
  // with them: that is two pairs.
  std::vector<EventPair> ordered = {};
  // Or, with nothing else asked for: the reordering ends with this read, and the
  // read sees `challenger`, another write of its location than in the trace; none
  // is the initial value.
  struct OtherRead {
    uint64_t read = 0;
    std::optional<uint64_t> challenger;
  };
  std::optional<OtherRead> other_read = std::nullopt;
};

enum class Verdict {
  feasible,    // `schedule` reaches the goal
  infeasible,  // no correct reordering does
  undecided,   // the budget was used up
};

struct Certificate {
  Verdict verdict = Verdict::undecided;
  Schedule schedule;   // without `Goal::next`
  uint64_t steps = 0;  // what it cost, in the unit of the budget
};

// `budget` bounds the work: the number of steps of the trace that are looked at,
// over all attempts. Exact as long as the answer is not "undecided". Pure: may
// run for several goals of one model at the same time.
//
// Searches near the goal first: from `near` events before it on, then from some
// times as many, and in the whole trace only if that does not tell.
Certificate certify(const Model& model, const Goal& goal, uint64_t budget, uint64_t near = 1000);

// How many events the schedule has (nearly: what ends a wait counts twice), and all
// of them.
uint64_t length_of(const Model& model, const Schedule& schedule);
std::vector<uint64_t> written_out(const Model& model, const Schedule& schedule);

}  // namespace foretrace
