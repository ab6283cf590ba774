#include "property/race_pairs.h"

#include <map>

#include <rapidcheck.h>

namespace foretrace::testing {

std::set<Pair> unordered_clashes(const Trace& trace, const Relation& order) {
  std::set<Pair> races;
  for (size_t b = 0; b < trace.events.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      if (clash(trace.events[a], trace.events[b]) && !order[a][b]) races.emplace(a, b);
    }
  }
  return races;
}

std::set<Pair> first_of_each_location(const Trace& trace, const std::set<Pair>& races) {
  std::map<LocationId, Pair> first;
  for (const Pair& race : races) {
    const auto [entry, fresh] = first.try_emplace(trace.events[race.first].object, race);
    Pair& best = entry->second;
    if (race.second < best.second || (race.second == best.second && race.first > best.first)) {
      best = race;
    }
  }
  std::set<Pair> pairs;
  for (const auto& [location, pair] : first) pairs.insert(pair);
  return pairs;
}

Pair pair_of(const Candidate& candidate) {
  RC_ASSERT(candidate.kind == "data-race");
  RC_ASSERT(candidate.events.size() == 2U);
  return {candidate.events[0].index, candidate.events[1].index};
}

std::set<Pair> pairs_of(const std::vector<Candidate>& candidates, std::string_view name) {
  std::set<Pair> pairs;
  for (const Candidate& candidate : candidates) {
    if (candidate.analysis != name) continue;
    const bool fresh = pairs.insert(pair_of(candidate)).second;
    RC_ASSERT(fresh);
  }
  return pairs;
}

}  // namespace foretrace::testing
