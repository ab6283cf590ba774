// serializability against all serial orders.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analyses/serializability/conflicts.h"
#include "analyses/serializability/windows.h"
#include "certify/certifier.h"
#include "certify/checker.h"
#include "property/random_trace.h"
#include "property/reference_reorderings.h"
#include "property/reference_serializability.h"
#include "property/reference_sidetrack.h"
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

// ---- the predictive form

// A use of a location or lock as the definition sees it.
struct PlainUse {
  size_t index;
  ThreadId thread;
  std::pair<Space, uint32_t> object;
  bool reads;
  Op op;
  std::vector<size_t> units;  // the begins of those that it is in, outermost first
};

std::vector<PlainUse> uses_in(const Trace& trace) {
  std::vector<PlainUse> uses;
  for (const ReferenceAcquire& a : reference_acquires(trace)) {
    const Op op = a.shared ? Op::racq : Op::acq;
    uses.push_back({a.index, a.thread, {Space::lock, a.lock}, a.shared, op, a.units});
  }
  std::map<ThreadId, std::vector<size_t>> units;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.op() == Op::beg) units[event.thread].push_back(i);
    if (event.op() == Op::end) units[event.thread].pop_back();
    if (space_of(event.op()) != Space::location) continue;
    const bool reads = event.op() == Op::rd || event.op() == Op::vrd || event.op() == Op::ard;
    uses.push_back(
        {i, event.thread, {Space::location, event.object}, reads, event.op(), units[event.thread]});
  }
  std::stable_sort(uses.begin(), uses.end(),
                   [](const PlainUse& a, const PlainUse& b) { return a.index < b.index; });
  return uses;
}

struct PlainIntrusion {
  PlainUse first;
  PlainUse culprit;
  PlainUse second;
  std::vector<uint32_t> labels;  // of the units that contain both

  auto indexes() const { return std::tuple(first.index, culprit.index, second.index); }
  bool in_trace() const { return first.index < culprit.index && culprit.index < second.index; }
  auto looks() const { return std::tuple(labels, first.op, culprit.op, second.op, first.object); }
};

// Between consecutive uses in a unit or, for a culprit that reads, consecutive
// writes: a use of another thread that conflicts with both.
std::vector<PlainIntrusion> intrusions_in(const Trace& trace) {
  const std::vector<PlainUse> uses = uses_in(trace);
  std::vector<PlainIntrusion> all;
  for (size_t s = 0; s < uses.size(); ++s) {
    bool any = false;  // use, or write, since
    bool write = false;
    for (size_t f = s; f-- > 0 && !(any && (write || uses[s].reads));) {
      const PlainUse& first = uses[f];
      const PlainUse& second = uses[s];
      if (first.thread != second.thread || first.object != second.object) continue;
      if (first.units.empty() || second.units.empty() || first.units[0] != second.units[0]) break;
      const bool for_writers = !any;
      const bool for_readers = !write && !first.reads && !second.reads;
      any = true;
      write |= !first.reads;
      std::vector<uint32_t> labels;
      for (size_t i = 0; i < std::min(first.units.size(), second.units.size()); ++i) {
        if (first.units[i] == second.units[i]) {
          labels.push_back(trace.events[first.units[i]].object);
        }
      }
      for (const PlainUse& culprit : uses) {
        if (culprit.thread == first.thread || culprit.object != first.object) continue;
        if (culprit.reads ? for_readers : for_writers) {
          all.push_back({first, culprit, second, labels});
        }
      }
    }
  }
  return all;
}

void look_at(const Trace& trace, serializability::Windows& windows) {
  for (uint64_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].op() != Op::skip) windows.process(i, trace.events[i]);
  }
}

// Where the two edges of each tangle end.
std::set<std::tuple<size_t, size_t>> tangles_of(serializability::Windows& windows,
                                                bool in_one_unit) {
  std::set<std::tuple<size_t, size_t>> found;
  for (const serializability::Tangle& one : windows.take_tangles()) {
    if (one.in_one_unit == in_one_unit) found.emplace(one.in.index, one.back_in.index);
  }
  return found;
}

// What Windows does not propose is in no correct reordering, unless it is much
// like what the trace itself shows.
RC_GTEST_PROP(Serializability, NoFeasibleIntrusionIsMissed, ()) {
  const RandomTrace random = *unit_trace(1.2);
  const Trace& trace = random.trace;
  serializability::Windows windows;
  look_at(trace, windows);
  std::set<std::tuple<size_t, size_t, size_t>> found;
  for (const serializability::Intrusion& one : windows.take()) {
    found.emplace(one.first.index, one.culprit.index, one.second.index);
  }
  RC_PRE(windows.left_out() == 0U);
  const std::vector<PlainIntrusion> all = intrusions_in(trace);
  std::set<std::tuple<size_t, size_t, size_t>> known;
  decltype(std::set{all.front().looks()}) observed;
  for (const PlainIntrusion& one : all) {
    known.insert(one.indexes());
    if (one.in_trace()) observed.insert(one.looks());
  }
  for (const auto& one : found) RC_ASSERT(known.contains(one));
  bool feasible = false;
  for (const PlainIntrusion& one : all) {
    if (found.contains(one.indexes()) || observed.contains(one.looks())) continue;
    const bool has = some_reordering_has(
        trace, {{one.first.index, one.culprit.index}, {one.culprit.index, one.second.index}});
    if (has) RC_LOG() << one.first.index << " " << one.culprit.index << " " << one.second.index;
    RC_ASSERT(!has);
  }
  for (const auto& [first, culprit, second] : found) {
    feasible |= some_reordering_has(trace, {{first, culprit}, {culprit, second}});
  }
  RC_CLASSIFY(!found.empty(), "proposed");
  RC_CLASSIFY(feasible, "feasible");
}

// The same for two units and two things, where each unit is to come before the
// other on one of them.
RC_GTEST_PROP(Serializability, NoFeasibleTangleIsMissed, ()) {
  const RandomTrace random = *unit_trace(0.9);
  const Trace& trace = random.trace;
  serializability::Windows windows;
  look_at(trace, windows);
  const std::set<std::tuple<size_t, size_t>> found = tangles_of(windows, true);
  RC_CLASSIFY(!found.empty(), "proposed");
  if (windows.left_out() > 0) return;
  std::map<std::pair<size_t, size_t>, std::set<std::tuple<size_t, size_t, size_t, size_t>>> all;
  std::set<std::set<uint32_t>> observed;  // labels
  const std::vector<PlainUse> uses = uses_in(trace);
  const auto for_each_conflict = [&](auto visit) {
    for (const PlainUse& from : uses) {
      for (const PlainUse& to : uses) {
        if (from.units.empty() || to.units.empty() || from.thread == to.thread) continue;
        if (from.object == to.object && !(from.reads && to.reads)) visit(from, to);
      }
    }
  };
  for_each_conflict([&](const PlainUse& a, const PlainUse& b) {
    for_each_conflict([&](const PlainUse& c, const PlainUse& d) {
      if (a.units[0] != d.units[0] || b.units[0] != c.units[0] || a.object == c.object) return;
      if (a.index < b.index && c.index < d.index) {
        observed.insert({trace.events[a.units[0]].object, trace.events[b.units[0]].object});
      } else {
        all[{a.units[0], b.units[0]}].emplace(a.index, b.index, c.index, d.index);
      }
    });
  });
  for (const auto& [units, tangles] : all) {
    if (observed.contains({trace.events[units.first].object, trace.events[units.second].object})) {
      continue;
    }
    for (const auto& [a, b, c, d] : tangles) {
      if (found.contains({b, d}) || found.contains({d, b})) continue;
      if (some_reordering_has(trace, {{a, b}, {c, d}})) {
        RC_LOG() << a << " " << b << " " << c << " " << d;
        RC_FAIL("missed");
      }
    }
  }
}

// The same for a unit, and two uses of another thread that are not in one unit.
RC_GTEST_PROP(Serializability, NoFeasibleWalkIsMissed, ()) {
  const RandomTrace random = *unit_trace(0.9);
  const Trace& trace = random.trace;
  serializability::Windows windows;
  look_at(trace, windows);
  const std::set<std::tuple<size_t, size_t>> found = tangles_of(windows, false);
  RC_CLASSIFY(!found.empty(), "proposed");
  if (windows.left_out() > 0) return;
  const std::vector<PlainUse> uses = uses_in(trace);
  const auto conflict = [](const PlainUse& a, const PlainUse& b) {
    return a.thread != b.thread && a.object == b.object && !(a.reads && b.reads);
  };
  struct Walk {
    std::array<const PlainUse*, 4> uses;  // out, in, back out, back in
    bool in_trace() const {
      return uses[0]->index < uses[1]->index && uses[2]->index < uses[3]->index;
    }
    // The random traces have no sites.
    auto looks(const Trace& of) const {
      std::vector<std::pair<Op, std::pair<Space, uint32_t>>> all;
      for (const PlainUse* use : uses) all.emplace_back(use->op, use->object);
      return std::pair(of.events[uses[0]->units[0]].object, all);
    }
  };
  std::vector<Walk> all;
  decltype(std::set{all.front().looks(trace)}) observed;
  for (const PlainUse& out : uses) {
    for (const PlainUse& in : uses) {
      if (out.units.empty() || !conflict(out, in)) continue;
      for (const PlainUse& back_out : uses) {
        if (back_out.thread != in.thread || back_out.index <= in.index) continue;
        if (!in.units.empty() && !back_out.units.empty() && in.units[0] == back_out.units[0]) {
          continue;
        }
        for (const PlainUse& back_in : uses) {
          if (back_in.units.empty() || back_in.units[0] != out.units[0] ||
              back_in.object == in.object || !conflict(back_out, back_in)) {
            continue;
          }
          const Walk walk = {{&out, &in, &back_out, &back_in}};
          if (walk.in_trace()) observed.insert(walk.looks(trace));
          all.push_back(walk);
        }
      }
    }
  }
  bool feasible = false;
  for (const Walk& walk : all) {
    const auto& [out, in, back_out, back_in] = walk.uses;
    const bool is_found = found.contains({in->index, back_in->index});
    if (walk.in_trace() || observed.contains(walk.looks(trace)) || (is_found && feasible)) continue;
    const bool has =
        some_reordering_has(trace, {{out->index, in->index}, {back_out->index, back_in->index}});
    feasible |= has;
    if (!has || is_found) continue;
    // Another one that looks like what the trace shows may have been in its place.
    const bool hidden = std::any_of(all.begin(), all.end(), [&](const Walk& other) {
      return other.uses[1] == in && other.uses[3] == back_in &&
             observed.contains(other.looks(trace));
    });
    // If the unit of the first use would do, it is a tangle of two units.
    const bool in_one_unit = std::any_of(uses.begin(), uses.end(), [&](const PlainUse& use) {
      return use.thread == in->thread && use.index > in->index && conflict(use, *back_in) &&
             !use.units.empty() && !in->units.empty() && use.units[0] == in->units[0];
    });
    // If the unit uses one of the things in between, that or the walk's use alone does.
    // The same if a use of the walk before the last one leads back.
    const auto leads_back = [&](const PlainUse& use) {
      return use.thread == in->thread && in->index < use.index && use.index <= back_out->index &&
             conflict(use, *back_in);
    };
    const bool is_nearer = std::any_of(uses.begin(), uses.end(), [&](const PlainUse& use) {
      if (use.thread != out->thread || use.index <= out->index || use.index >= back_in->index) {
        return false;
      }
      return conflict(use, *in) || std::any_of(uses.begin(), uses.end(), [&](const PlainUse& last) {
               return leads_back(last) && conflict(use, last);
             });
    });
    if (hidden || in_one_unit || is_nearer) continue;
    RC_LOG() << out->index << " " << in->index << " " << back_out->index << " " << back_in->index;
    RC_FAIL("missed");
  }
  RC_CLASSIFY(feasible, "feasible");
}

// Conflicts that lead from a unit through other threads, each of them once, and back, in
// `least` steps or more; `visit` gets the pairs. In a thread the way stays in a unit, or
// follows the program.
class PlainRings {
 public:
  using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;
  PlainRings(const Trace& trace, size_t least,
             std::function<void(const PlainUse& out, const Pairs&)> visit)
      : uses_(uses_in(trace)), least_(least), visit_(std::move(visit)) {}

  void run() {
    for (const PlainUse& out : uses_) {
      if (!out.units.empty()) leave(out, out);
    }
  }

 private:
  static bool conflict(const PlainUse& a, const PlainUse& b) {
    return a.thread != b.thread && a.object == b.object && !(a.reads && b.reads);
  }
  static bool in_one_unit(const PlainUse& a, const PlainUse& b) {
    return !a.units.empty() && !b.units.empty() && a.units[0] == b.units[0];
  }

  void leave(const PlainUse& out, const PlainUse& from) {
    for (const PlainUse& to : uses_) {
      if (!conflict(from, to)) continue;
      pairs_.emplace_back(from.index, to.index);
      // In some unit of a ring the way out comes before the way in: begin there.
      if (in_one_unit(out, to)) {
        if (pairs_.size() >= least_ && out.index < to.index) visit_(out, pairs_);
      } else if (to.thread != out.thread && visited_.insert(to.thread).second) {
        for (const PlainUse& next : uses_) {
          if (next.thread != to.thread) continue;
          // By their places: a wait's end comes before what the thread does next, and both
          // have one index.
          if (&next >= &to || in_one_unit(to, next)) leave(out, next);
        }
        visited_.erase(to.thread);
      }
      pairs_.pop_back();
    }
  }

  std::vector<PlainUse> uses_;
  const size_t least_;
  std::function<void(const PlainUse&, const Pairs&)> visit_;
  Pairs pairs_;
  std::set<ThreadId> visited_;
};

// A unit that some ring gets into in some reordering is reported, by a ring or
// by less; unless the trace itself has a ring through it, or it is said that rings like
// others were not tried.
RC_GTEST_PROP(Serializability, NoFeasibleRingIsMissed, ()) {
  RandomTraceOptions few;  // so that two units rarely have two things in common
  few.mostly_units = true;
  few.threads = 4;
  few.locks = 1;
  few.locations = 6;
  few.length = 0.9;
  few.locks_for_reading = few.forks = few.waits = few.volatiles = few.barriers = false;
  few.objects = false;
  const RandomTrace random = *rc::gen::oneOf(random_trace(few), unit_trace(0.8));
  const Trace& trace = random.trace;
  std::set<uint32_t> reported;  // labels
  bool by_ring = false;
  std::vector<std::string> notes;
  for (const Candidate& candidate : run_analysis("serializability", trace, 3, {}, &notes)) {
    const bool feasible =
        candidate.strength == Strength::observed || some_reordering_has(trace, candidate.order);
    if (!feasible) continue;
    reported.insert(candidate.labels.begin(), candidate.labels.end());
    by_ring |= candidate.order.size() > 2 && candidate.strength != Strength::observed;
  }
  RC_CLASSIFY(by_ring, "by a ring");
  RC_CLASSIFY(!notes.empty(), "some not tried");
  if (!notes.empty()) return;
  const auto label_of = [&](const PlainUse& use) { return trace.events[use.units[0]].object; };
  PlainRings observed(trace, 2, [&](const PlainUse& out, const PlainRings::Pairs& pairs) {
    const bool in_trace = std::all_of(pairs.begin(), pairs.end(),
                                      [](const auto& pair) { return pair.first < pair.second; });
    if (in_trace) reported.insert(label_of(out));
  });
  observed.run();
  PlainRings rings(trace, 3, [&](const PlainUse& out, const PlainRings::Pairs& pairs) {
    if (reported.contains(label_of(out)) || !some_reordering_has(trace, pairs)) return;
    for (const auto& [from, to] : pairs) RC_LOG() << from << " < " << to << "\n";
    RC_FAIL("missed");
  });
  rings.run();
}

RC_GTEST_PROP(Serializability, PredictionsAreCertified, ()) {
  const RandomTrace random = *unit_trace(1.5);
  const Trace& trace = random.trace;
  const ScheduleChecker checker(trace);
  std::vector<Candidate> candidates = run_analysis("serializability", trace, 3);
  decide(trace, candidates, {1'000'000'000, 1, {}});
  bool certified = false;
  for (const Candidate& candidate : candidates) {
    RC_ASSERT(candidate.strength != Strength::predicted);
    certified |= candidate.strength == Strength::certified;
    const Result<void> checked = checker.check_ordered(*candidate.witness, candidate.order);
    if (!checked) RC_FAIL(checked.error().message);
    // And as a trace of its own it has no serial order.
    const std::optional<Trace> schedule = trace_in_order(trace, *candidate.witness);
    RC_ASSERT(schedule.has_value());
    RC_ASSERT(!has_serial_order(*schedule, schedule->events.size()));
  }
  RC_CLASSIFY(certified, "certified");
}

}  // namespace
}  // namespace foretrace::testing
