#include "property/reference_atomic_sets.h"

#include <algorithm>
#include <map>

namespace foretrace::testing {
namespace {

// Figure 2, as it is printed: R and W of u, r and w of u'.
const std::vector<std::string> kFigure2 = {
    "R1 w1 W1",    "R1 w1 R1",    "W1 r1 W1",    "W1 w1 R1",    "W1 w1 W1",
    "W1 w1 w2 W2", "W1 w2 w1 W2", "W1 w2 W2 w1", "W1 r1 r2 W2", "W1 r2 r1 W2",
    "R1 w1 w2 R2", "R1 w2 w1 R2", "R1 w2 R2 w1", "W1 r2 W2 r1"};

// The sets that directives or its name put a location into.
std::set<std::string> object_sets(const Symbols& symbols, const std::string& location) {
  std::set<std::string> sets;
  for (uint32_t i = 0; i < symbols.sets.size(); ++i) {
    for (const std::string& member : symbols.sets[i].locations) {
      if (member == location) sets.insert(symbols.sets[i].name);
    }
  }
  if (sets.empty()) sets.insert(location.substr(0, location.rfind('.')));
  return sets;
}

std::set<std::string> sets_of(const Symbols& symbols, const std::string& location,
                              const std::string& sets) {
  if (sets == "all") return {"all"};
  if (sets == "location") return {location};
  return object_sets(symbols, location);
}

bool is_declared_on(const Symbols& symbols, const std::string& label, const std::string& location,
                    const std::string& sets, const std::string& set) {
  bool named = false;
  for (uint32_t i = 0; i < symbols.units.size(); ++i) {
    if (symbols.units[i].label != label) continue;
    named = true;
    for (const std::string& one : symbols.units[i].sets) {
      if (sets == "all") return true;
      if (sets == "object" ? one == set : object_sets(symbols, location).contains(one)) return true;
    }
  }
  return !named || sets == "all";
}

struct SetAccess {
  bool writes;
  std::string location;
  std::string thread;
  int unit;
};

bool contains(const std::vector<SetAccess>& accesses, const std::string& pattern, int u, int other,
              const std::string& first, const std::string& second) {
  size_t next = 0;
  for (size_t i = 0; i < pattern.size(); i += 3, ++next) {
    const char op = pattern[i];
    const SetAccess wanted = {op == 'W' || op == 'w', pattern[i + 1] == '1' ? first : second, "",
                              op == 'R' || op == 'W' ? u : other};
    while (next < accesses.size() &&
           (accesses[next].writes != wanted.writes || accesses[next].location != wanted.location ||
            accesses[next].unit != wanted.unit)) {
      ++next;
    }
    if (next == accesses.size()) return false;
  }
  return true;
}

}  // namespace

std::vector<int> reference_units(const Trace& trace, const std::string& sets,
                                 const std::string& set) {
  const Symbols& symbols = *trace.symbols;
  std::map<ThreadId, std::vector<std::pair<std::string, int>>> open;
  std::vector<int> units;
  int count = 0;
  for (const Event& event : trace.events) {
    units.push_back(-1);
    const std::string object(symbols.object(event));
    if (event.op() == Op::beg) open[event.thread].emplace_back(object, count++);
    if (event.op() == Op::end) open[event.thread].pop_back();
    if (event.op() != Op::rd && event.op() != Op::wr) continue;
    if (!sets_of(symbols, object, sets).contains(set)) continue;
    units.back() = count++;  // its own, unless some unit is declared on the set
    for (const auto& [label, unit] : open[event.thread]) {
      if (!is_declared_on(symbols, label, object, sets, set)) continue;
      units.back() = unit;
      break;
    }
  }
  return units;
}

std::set<AtomicSetViolation> reference_atomic_sets(const Trace& trace, const std::string& sets) {
  const Symbols& symbols = *trace.symbols;
  std::set<std::string> all_sets;
  for (uint32_t i = 0; i < symbols.names(Space::location).size(); ++i) {
    all_sets.merge(sets_of(symbols, std::string(symbols.location(i)), sets));
  }
  std::set<AtomicSetViolation> found;
  for (const std::string& set : all_sets) {
    const std::vector<int> units = reference_units(trace, sets, set);
    std::vector<SetAccess> accesses;
    std::map<int, std::string> threads;
    std::set<std::string> locations;
    for (size_t i = 0; i < units.size(); ++i) {
      if (units[i] < 0) continue;
      const Event& event = trace.events[i];
      accesses.push_back({event.op() == Op::wr, std::string(symbols.location(event.object)),
                          std::string(symbols.thread(event.thread)), units[i]});
      threads[units[i]] = accesses.back().thread;
      locations.insert(accesses.back().location);
    }
    for (const auto& [u, thread] : threads) {
      for (const auto& [other, other_thread] : threads) {
        if (thread == other_thread) continue;
        for (size_t p = 0; p < kFigure2.size(); ++p) {
          for (const std::string& first : locations) {
            const int number = static_cast<int>(p) + 1;
            if (number <= 5 && contains(accesses, kFigure2[p], u, other, first, "")) {
              found.emplace(number, set, thread, other_thread, std::vector{first});
            }
            for (const std::string& second : locations) {
              if (number <= 5 || first == second) continue;
              if (!contains(accesses, kFigure2[p], u, other, first, second)) continue;
              found.emplace(number, set, thread, other_thread, std::vector{first, second});
            }
          }
        }
      }
    }
  }
  return found;
}

}  // namespace foretrace::testing
