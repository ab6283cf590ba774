// atomic-sets against the search for subsequences.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "formats/trace_io.h"
#include "property/random_trace.h"
#include "property/reference_atomic_sets.h"
#include "property/run_analysis.h"

namespace foretrace::testing {
namespace {

AtomicSetViolation described(const Candidate& candidate) {
  const auto& detail = candidate.detail;
  return {detail["pattern"], detail["set"], detail["threads"][0], detail["threads"][1],
          detail["locations"].get<std::vector<std::string>>()};
}

// Its events are what it says they are: in order, by two units of two threads.
void check_events(const Candidate& candidate, const Trace& trace, const std::string& sets) {
  const std::vector<int> units = reference_units(trace, sets, candidate.detail["set"]);
  const std::string accesses = candidate.detail["accesses"];
  std::set<int> by_u;
  std::set<int> by_other;
  std::string text;
  for (size_t i = 0; i < candidate.events.size(); ++i) {
    const CandidateEvent& one = candidate.events[i];
    const Event& event = trace.events[one.index];
    if (i > 0) RC_ASSERT(candidate.events[i - 1].index < one.index);
    RC_ASSERT(event.op() == one.event.op());
    RC_ASSERT(event.object == one.event.object);
    RC_ASSERT(event.thread == one.event.thread);
    const bool is_u =
        candidate.detail["threads"][0] == std::string(trace.symbols->thread(event.thread));
    (is_u ? by_u : by_other).insert(units[one.index]);
    const bool is_first =
        candidate.detail["locations"][0] == std::string(trace.symbols->location(event.object));
    text += fmt::format("{}{}_{}({})", i == 0 ? "" : " ", event.op() == Op::wr ? 'W' : 'R',
                        is_u ? "u" : "u'",
                        candidate.events.size() == 3 ? "l"
                        : is_first                   ? "l1"
                                                     : "l2");
  }
  RC_ASSERT(text == accesses);
  RC_ASSERT(by_u.size() == 1U);
  RC_ASSERT(by_other.size() == 1U);
}

void compare(const Trace& trace, const std::string& sets, size_t batch_size) {
  std::set<AtomicSetViolation> found;
  for (const Candidate& candidate :
       run_analysis("atomic-sets", trace, batch_size, {"sets=" + sets})) {
    check_events(candidate, trace, sets);
    RC_ASSERT(found.insert(described(candidate)).second);
  }
  const std::set<AtomicSetViolation> expected = reference_atomic_sets(trace, sets);
  RC_CLASSIFY(!expected.empty(), "violations");
  RC_CLASSIFY(!expected.empty() && std::get<0>(*expected.rbegin()) > 5, "of two locations");
  for (const AtomicSetViolation& violation : expected) {
    RC_LOG() << "pattern " << std::get<0>(violation) << " " << std::get<2>(violation) << " "
             << std::get<3>(violation) << (found.contains(violation) ? "" : " is missing") << "\n";
  }
  RC_ASSERT(found == expected);
}

RC_GTEST_PROP(AtomicSets, AreThePatternsOfFigure2, ()) {
  RandomTraceOptions options;
  options.threads = *rc::gen::inRange<uint32_t>(2, 5);
  options.locations = *rc::gen::inRange<uint32_t>(1, 5);
  options.sets = *rc::gen::arbitrary<bool>();
  options.waits = options.barriers = options.volatiles = options.objects = false;
  const RandomTrace random = *random_trace(options);
  const std::string sets = *rc::gen::element<std::string>("object", "location", "all");
  compare(random.trace, sets, *rc::gen::inRange<size_t>(0, 20));
}

// The fields of objects, with directives for some; they may come last.
// Threads that do little but begin and end units and access fields in them.
std::string interleaved_units(const std::vector<uint32_t>& moves) {
  std::vector<std::vector<std::string>> open(4);
  std::string tiddle;
  for (uint32_t move : moves) {
    const auto take = [&](uint32_t count) {
      const uint32_t taken = move % count;
      move /= count;
      return taken;
    };
    const uint32_t thread = take(4);
    std::vector<std::string>& units = open[thread];
    const uint32_t action = take(12);
    if (action == 0 && !units.empty()) {
      tiddle += fmt::format("end {} {}\n", thread, units.back());
      units.pop_back();
    } else if (action == 1 || (action < 8 && units.empty())) {
      units.push_back(take(2) == 0 ? "u" : "w");
      tiddle += fmt::format("beg {} {}\n", thread, units.back());
    } else {
      tiddle += fmt::format("{} {} o.{}\n", take(2) == 0 ? "rd" : "wr", thread, take(3));
    }
  }
  return tiddle;
}

RC_GTEST_PROP(AtomicSets, AreThePatternsWhenUnitsInterleave, ()) {
  const auto moves = *rc::gen::container<std::vector<uint32_t>>(
      rc::gen::resize(100, rc::gen::inRange<uint32_t>(0, 1'000'000)));
  const std::string tiddle = "wr 0 o.0\n" + interleaved_units(moves);
  RC_LOG() << tiddle;
  compare(read_trace(tiddle, "tiddle").value(),
          *rc::gen::element<std::string>("object", "location"), *rc::gen::inRange<size_t>(0, 20));
}

RC_GTEST_PROP(AtomicSets, FollowNamesAndDirectivesWhereverTheyStand, ()) {
  RandomTraceOptions options;
  options.threads = 3;
  options.waits = options.barriers = options.volatiles = options.objects = false;
  const std::string plain = (*random_trace(options)).tiddle;
  std::string tiddle;
  for (const std::string_view one : split(plain, '\n')) {
    std::string line(one);
    for (const auto& [from, to] : {std::pair(" x", " o.f"), {" y", " o.g"}, {" z", " p.f"}}) {
      if (line.ends_with(from)) line.replace(line.size() - 2, 2, to);
    }
    tiddle += line + "\n";
  }
  tiddle += *rc::gen::element<std::string>("", "set o p.f\n", "set q o.f p.f\n", "unit u o\n",
                                           "unit u p\nunit w o p\n",
                                           "set q o.f o.g\nset p o.f\nunit u q\n");
  compare(read_trace(tiddle, "tiddle").value(),
          *rc::gen::element<std::string>("object", "location", "all"),
          *rc::gen::inRange<size_t>(0, 20));
}

}  // namespace
}  // namespace foretrace::testing
