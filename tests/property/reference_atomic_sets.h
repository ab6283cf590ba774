// Paper 002 written out plainly: every pattern, every pair of units, every pair of
// locations, by looking for the subsequence.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "trace/stream.h"

namespace foretrace::testing {

// The pattern, the set, the threads of u and u', and the locations.
using AtomicSetViolation =
    std::tuple<int, std::string, std::string, std::string, std::vector<std::string>>;

// `sets` is object, location or all.
std::set<AtomicSetViolation> reference_atomic_sets(const Trace& trace, const std::string& sets);

// The unit that each event belongs to on the set, by number; -1 if the event is no
// access of the set.
std::vector<int> reference_units(const Trace& trace, const std::string& sets,
                                 const std::string& set);

}  // namespace foretrace::testing
