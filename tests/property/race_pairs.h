// Races as pairs of event indexes, for comparing detectors with definitions.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analyses/candidate.h"
#include "property/reference_order.h"
#include "trace/stream.h"

namespace foretrace::testing {

using Pair = std::pair<uint64_t, uint64_t>;  // the earlier access first

// The clashes that the order leaves open.
std::set<Pair> unordered_clashes(const Trace& trace, const Relation& order);

// For each racy location the pair with the earliest second access and, of those,
// the latest first access.
std::set<Pair> first_of_each_location(const Trace& trace, const std::set<Pair>& races);

Pair pair_of(const Candidate& candidate);
// The pairs that are reported under this name, each once.
std::set<Pair> pairs_of(const std::vector<Candidate>& candidates, std::string_view name);

}  // namespace foretrace::testing
