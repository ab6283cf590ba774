// A schedule of events of a trace, written short.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace foretrace {

// Most of a schedule is as in the trace, and what is moved lies at its end. So its
// beginning is said by thread, and takes as little room in a long trace as in a
// short one.
struct Schedule {
  Schedule() = default;
  // Every list of events is one.
  Schedule(std::vector<uint64_t> events) : then(std::move(events)) {}

  // First, in the order of the trace, the events of each thread with an index below
  // this. By thread; threads beyond the end of the list have none.
  std::vector<uint64_t> until;
  std::vector<uint64_t> then;  // indexes, in this order

  uint64_t until_of(size_t thread) const { return thread < until.size() ? until[thread] : 0; }
};

}  // namespace foretrace
