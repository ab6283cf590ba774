// A trace that may leave out the beginning and the end of its program, with both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/stream.h"

namespace foretrace::programs {

// An event, or one that was added.
struct Operation {
  ThreadId thread;
  Op op;
  uint32_t object;
  std::optional<int64_t> value;
  SiteId site = kNoSite;
  bool resumes = false;  // it ends a wait or comes after a barrier
};

// What a program needs that does all of a trace. Threads that have no fork are
// forked by main, which also joins those that nobody joins. What is open at the
// end is closed: units end, locks are released, and who still waits is notified.
struct CompleteTrace {
  std::vector<std::string> threads;   // names, by number
  std::vector<Operation> operations;  // no Op::skip among them
  ThreadId main = 0;                  // a thread of the trace, or one that was added
};

CompleteTrace complete(const Trace& trace);

}  // namespace foretrace::programs
