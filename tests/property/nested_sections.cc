#include "property/nested_sections.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "formats/trace_io.h"

namespace foretrace::testing {
namespace {

// Threads that mostly nest critical sections: little else needs a reordering
// that is not a part of the trace. Each number of a program is one item: open a
// section, close the innermost one, read or write.
RandomTrace interleaved(const std::vector<std::vector<uint8_t>>& programs,
                        const std::vector<uint8_t>& turns) {
  struct Thread {
    std::vector<std::string> lines;
    size_t done = 0;
  };
  std::vector<Thread> threads(programs.size());
  for (size_t t = 0; t < programs.size(); ++t) {
    std::vector<std::string> held;
    const std::string name = std::to_string(t + 1);
    for (const uint8_t item : programs[t]) {
      const std::string lock(1, static_cast<char>('l' + item / 8 % 3));
      const std::string location(1, static_cast<char>('x' + item / 8 % 2));
      if (item % 8 < 3) {
        if (std::find(held.begin(), held.end(), lock) != held.end()) continue;
        held.push_back(lock);
        threads[t].lines.push_back("acq " + name + " " + lock);
      } else if (item % 8 < 6) {
        if (held.empty()) continue;
        threads[t].lines.push_back("rel " + name + " " + held.back());
        held.pop_back();
      } else {
        threads[t].lines.push_back((item % 8 == 6 ? "rd " : "wr ") + name + " " + location);
      }
    }
    while (!held.empty()) {
      threads[t].lines.push_back("rel " + name + " " + held.back());
      held.pop_back();
    }
  }
  // Runs them, as the turns say, as far as locks let them.
  std::string text;
  std::map<std::string, size_t> owner;
  for (size_t turn = 0, idle = 0; idle < threads.size(); ++turn) {
    const size_t t = (turn < turns.size() ? turns[turn] + idle : turn) % threads.size();
    Thread& thread = threads[t];
    ++idle;
    if (thread.done == thread.lines.size()) continue;
    const std::string& line = thread.lines[thread.done];
    const std::string object = line.substr(line.rfind(' ') + 1);
    if (line.starts_with("acq") && owner.contains(object)) continue;
    if (line.starts_with("acq")) owner[object] = t;
    if (line.starts_with("rel")) owner.erase(object);
    text += line + "\n";
    ++thread.done;
    idle = 0;
  }
  return {text, read_trace(text, "tiddle").value_or(Trace{std::make_shared<Symbols>(), {}, {}})};
}

}  // namespace

rc::Gen<RandomTrace> nested_sections() {
  // The sizes are those of the lists; the numbers in them are from the whole range.
  const auto number = rc::gen::resize(100, rc::gen::inRange<uint8_t>(0, 48));
  const auto program = rc::gen::resize(14, rc::gen::container<std::vector<uint8_t>>(number));
  const auto programs = rc::gen::container<std::vector<std::vector<uint8_t>>>(3, program);
  const auto turns = rc::gen::resize(40, rc::gen::container<std::vector<uint8_t>>(number));
  return rc::gen::map(rc::gen::pair(programs, turns),
                      [](const auto& parts) { return interleaved(parts.first, parts.second); });
}

rc::Gen<RandomTrace> small_trace() {
  RandomTraceOptions locks;
  locks.threads = 3;
  locks.length = 0.45;
  locks.locations = 2;
  locks.locks_for_reading = locks.forks = locks.waits = locks.volatiles = locks.barriers = false;
  locks.units = locks.objects = false;
  RandomTraceOptions more_threads = locks;
  more_threads.threads = 5;
  more_threads.length = 0.25;
  more_threads.locations = 2;
  more_threads.locks = 2;
  RandomTraceOptions all;
  all.length = 0.4;
  all.threads = 3;
  all.reentrant = true;
  all.units = all.objects = false;
  RandomTraceOptions waits = locks;
  waits.length = 0.35;
  waits.locks = 2;
  waits.waits = waits.mostly_waits = true;
  RandomTraceOptions mixed = locks;
  mixed.volatiles = mixed.mixed = true;
  return rc::gen::oneOf(random_trace(locks), random_trace(more_threads), random_trace(all),
                        random_trace(waits), random_trace(mixed), nested_sections(),
                        nested_sections(), nested_sections());
}

}  // namespace foretrace::testing
