// Accesses of a loop that go in the same steps, side by side: the parts of one element.
#pragma once

#include <vector>

#include "instrument/access.h"

namespace foretrace::instrument {

struct StridedParts {
  std::vector<size_t> members;  // of the accesses, in the order of their addresses
  uint64_t bytes;               // of all of them
};

// All reads, or writes, that are ranges with a step, each in one of them. Together they have no
// more bytes than the recorder looks at together (runtime::kGranuleBytes).
std::vector<StridedParts> join_strided(const std::vector<Access>& accesses, bool write,
                                       LoopRanges& ranges);

}  // namespace foretrace::instrument
