// Random traces that a program could have produced, for property tests.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "trace/stream.h"

namespace foretrace::testing {

// What the traces may contain. Few names make for many clashes.
struct RandomTraceOptions {
  uint32_t threads = 4;    // at most; named 1, 2, …
  uint32_t locations = 3;  // x, y, z, x1, y1, …; volatile ones are v, v1, …
  uint32_t locks = 3;      // l, m, n, l1, …
  uint32_t nesting = 3;    // locks that a thread holds at once
  double length = 1;       // times RapidCheck's size, which grows to 100

  bool locks_for_reading = true;
  bool forks = true;
  bool waits = true;  // and notifies
  bool volatiles = true;
  bool mixed = false;  // volatile and atomic operations on x, y, z, too
  bool barriers = true;
  bool units = true;
  bool objects = true;  // alloc and free
  bool values = false;  // consistent ones: a read has that of the last write
  bool sites = false;
  bool sets = false;          // set and unit directives
  bool reentrant = false;     // re-entrant acquires, which the check filters
  bool mostly_units = false;  // units, sections and accesses far more often than the rest
  bool mostly_waits = false;  // waits, notifies, sections and accesses
};

// One step of the generator. A step that is impossible where it comes (a release
// without a lock, say) is left out, so every list of steps gives a trace, and a
// shorter list a shorter one: that is how counterexamples shrink.
struct Move {
  uint32_t kind;  // the operation
  uint32_t thread;
  uint32_t object;
  uint32_t detail;  // the value, whether there is a site, …
};

// The trace as Tiddle text, an event a line.
std::string tiddle_of(const std::vector<Move>& moves, const RandomTraceOptions& options);

struct RandomTrace {
  std::string tiddle;
  Trace trace;  // as the reader and the strict check give it
};
std::ostream& operator<<(std::ostream& out, const RandomTrace& trace);  // the text

rc::Gen<std::vector<Move>> random_moves(const RandomTraceOptions& options);
rc::Gen<RandomTrace> random_trace(const RandomTraceOptions& options = {});

}  // namespace foretrace::testing
