// Paper 001 written out plainly: the graphs of each witness, built anew each
// time and looked through for cycles.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "trace/stream.h"

namespace foretrace::testing {

struct ReferenceWitness {
  bool acyclic = false;   // the witness order graph
  uint64_t pairs = 0;     // |S_choice|, if that is acyclic
  bool feasible = false;  // some choice graph is acyclic
};

// By read, challenger (none: the initial value) and order ("c-r-w", "w-c-r",
// "c-r"): every possible witness.
using ReferenceWitnesses =
    std::map<std::tuple<uint64_t, std::optional<uint64_t>, std::string>, ReferenceWitness>;
ReferenceWitnesses reference_witnesses(const Trace& trace);

}  // namespace foretrace::testing
