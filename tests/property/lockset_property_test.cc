// lockset against Eraser's definition, written out with plain sets.
#include <map>
#include <optional>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property/random_trace.h"
#include "property/reference_order.h"
#include "property/run_analysis.h"

namespace foretrace::testing {
namespace {

// For each location that Eraser reports, the access at which it does.
std::map<LocationId, size_t> reference_reports(const Trace& trace) {
  const ReferenceHeld held = reference_held(trace);
  std::map<LocationId, size_t> reports;
  for (LocationId x = 0; x < trace.symbols->names(Space::location).size(); ++x) {
    std::set<ThreadId> threads;              // that have accessed x
    bool modified = false;                   // since it was shared
    std::optional<std::set<LockId>> guards;  // C(x); none: all locks
    for (size_t i = 0; i < trace.events.size() && !reports.contains(x); ++i) {
      const Event& event = trace.events[i];
      if (!is_access(event.op()) || event.object != x) continue;
      threads.insert(event.thread);
      if (threads.size() < 2) continue;  // still exclusive
      if (event.op() == Op::wr) modified = true;
      std::set<LockId> now(held.exclusive[i].begin(), held.exclusive[i].end());
      if (event.op() == Op::rd) now.insert(held.shared[i].begin(), held.shared[i].end());
      if (guards) std::erase_if(now, [&](LockId lock) { return !guards->contains(lock); });
      guards = now;
      if (modified && guards->empty()) reports[x] = i;
    }
  }
  return reports;
}

RC_GTEST_PROP(Lockset, ReportsWhatEraserReports, ()) {
  RandomTraceOptions options;
  options.reentrant = true;
  options.locations = 4;
  options.barriers = false;  // they mean nothing here
  const RandomTrace random = *random_trace(options);
  const std::map<LocationId, size_t> expected = reference_reports(random.trace);
  RC_CLASSIFY(!expected.empty(), "reported");
  for (const size_t batch_size : {size_t{0}, size_t{1}}) {
    std::map<LocationId, size_t> found;
    for (const Candidate& candidate : run_analysis("lockset", random.trace, batch_size)) {
      const size_t first = candidate.events[0].index;
      const size_t second = candidate.events[1].index;
      const LocationId location = *candidate.variable;
      RC_ASSERT(!found.contains(location));
      found[location] = expected.contains(location) ? expected.at(location) : SIZE_MAX;
      RC_ASSERT(first < second);
      RC_ASSERT(clash(random.trace.events[first], random.trace.events[second]));
      RC_ASSERT(second <= found[location]);
      // The pair ends in the reported access if that clashes with anything.
      if (second != found[location]) {
        for (size_t a = 0; a < found[location]; ++a) {
          RC_ASSERT(!clash(random.trace.events[a], random.trace.events[found[location]]));
        }
      }
    }
    RC_ASSERT(found == expected);
  }
}

}  // namespace
}  // namespace foretrace::testing
