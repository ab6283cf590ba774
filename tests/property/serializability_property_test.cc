// serializability against all serial orders.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analyses/serializability/conflicts.h"
#include "property/random_trace.h"
#include "property/reference_serializability.h"
#include "property/run_analysis.h"

namespace foretrace::testing {
namespace {

using serializability::Conflicts;
using serializability::Cycle;
using serializability::Edge;
using serializability::Violation;

rc::Gen<RandomTrace> unit_trace(double length) {
  RandomTraceOptions plain;
  plain.mostly_units = true;
  plain.threads = 3;
  plain.locks = 2;
  plain.locations = 4;
  plain.length = length;
  plain.locks_for_reading = plain.forks = plain.waits = plain.volatiles = plain.barriers = false;
  plain.objects = false;
  RandomTraceOptions all = plain;
  all.locks_for_reading = all.forks = all.waits = all.volatiles = all.barriers = true;
  all.reentrant = true;
  RandomTraceOptions sparse = plain;  // longer cycles
  sparse.threads = 5;
  sparse.locations = 12;
  sparse.locks = 4;
  RandomTraceOptions even = all;
  even.mostly_units = false;
  even.threads = 4;
  return rc::gen::oneOf(random_trace(plain), random_trace(all), random_trace(sparse),
                        random_trace(even));
}

std::vector<Cycle> cycles_in(const Trace& trace) {
  std::vector<Cycle> cycles;
  Conflicts conflicts([&](const Violation& violation) { cycles.push_back(violation.cycle); });
  for (uint64_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].op() != Op::skip) conflicts.process(i, trace.events[i]);
  }
  return cycles;
}

// The trace is serializable up to the event that closes the first cycle.
RC_GTEST_PROP(Serializability, FirstCycleIsWhereSerialOrdersEnd, ()) {
  const RandomTrace random = *unit_trace(2.5);
  const Trace& trace = random.trace;
  const std::vector<Cycle> cycles = cycles_in(trace);
  RC_CLASSIFY(!cycles.empty(), "not serializable");
  RC_CLASSIFY(!cycles.empty() && cycles[0].size() > 2, "cycle of more than two edges");
  if (cycles.empty()) {
    RC_ASSERT(has_serial_order(trace, trace.events.size()));
  } else {
    const size_t closing = cycles[0].back().to.index;
    RC_ASSERT(has_serial_order(trace, closing));
    RC_ASSERT(!has_serial_order(trace, closing + 1));
  }
}

// Every cycle is one: its edges are conflicts, and each goes on where the one
// before it has led to.
RC_GTEST_PROP(Serializability, CyclesAreCycles, ()) {
  const RandomTrace random = *unit_trace(4);
  const Trace& trace = random.trace;
  const Relation conflicts = reference_conflicts(trace);
  const std::vector<size_t> transactions = reference_transactions(trace);
  for (const Cycle& cycle : cycles_in(trace)) {
    RC_ASSERT(cycle.size() >= 2U);
    RC_ASSERT(transactions[cycle.front().from.index] == transactions[cycle.back().to.index]);
    for (size_t i = 0; i < cycle.size(); ++i) {
      const Edge& edge = cycle[i];
      RC_ASSERT(edge.from.index < edge.to.index);
      RC_ASSERT(conflicts[edge.from.index][edge.to.index]);
      const Event& out = trace.events[edge.from.index];
      RC_ASSERT(edge.from.thread == out.thread && edge.from.op() == out.op());
      if (i + 1 == cycle.size()) continue;
      const Edge& next = cycle[i + 1];
      RC_ASSERT(edge.to.thread == next.from.thread);
      RC_ASSERT(transactions[edge.to.index] <= transactions[next.from.index]);
      RC_ASSERT(transactions[edge.to.index] != transactions[cycle.front().from.index]);
    }
  }
}

// A unit that stays open reaches all that comes later; what is kept of that does
// not grow with the trace.
TEST(Serializability, ForgetsWhatNoEventCanFollow) {
  Conflicts conflicts([](const Violation&) {});
  uint64_t index = 0;
  const auto happen = [&](ThreadId thread, Op op, uint32_t object) {
    conflicts.process(index++, make_event(thread, op, object));
  };
  happen(0, Op::beg, 0);
  happen(0, Op::wr, 0);
  size_t most = 0;
  for (int i = 0; i < 200'000; ++i) {
    happen(1, Op::beg, 1);
    happen(1, Op::rd, 0);
    happen(1, Op::wr, 1 + static_cast<uint32_t>(i % 10));
    happen(1, Op::end, 1);
    most = std::max(most, conflicts.live_nodes());
  }
  EXPECT_LT(most, 20'000U);
}

TEST(Serializability, ManyUnitsAtOnce) {
  // Each of 200 threads reads what the one before it wrote; the first one last.
  constexpr ThreadId kThreads = 200;
  std::vector<Cycle> cycles;
  Conflicts conflicts([&](const Violation& violation) { cycles.push_back(violation.cycle); });
  uint64_t index = 0;
  for (ThreadId t = 0; t < kThreads; ++t) conflicts.process(index++, make_event(t, Op::beg, t));
  for (ThreadId t = 0; t < kThreads; ++t) conflicts.process(index++, make_event(t, Op::wr, t));
  for (ThreadId t = 1; t < kThreads; ++t) conflicts.process(index++, make_event(t, Op::rd, t - 1));
  EXPECT_TRUE(cycles.empty());
  conflicts.process(index++, make_event(0, Op::rd, kThreads - 1));
  ASSERT_EQ(cycles.size(), 1U);
  EXPECT_EQ(cycles[0].size(), kThreads);
}

}  // namespace
}  // namespace foretrace::testing
