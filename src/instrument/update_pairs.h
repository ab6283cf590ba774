// A read and a write of the same bytes at two sites, as of what a swap exchanges: the recorder
// looks at both with the write.
#pragma once

#include <vector>

#include <llvm/Analysis/AliasAnalysis.h>

#include "instrument/access.h"
#include "instrument/hooks.h"

namespace foretrace::instrument {

// Finds them among accesses of optimised code, in the order of the program. They are close to each
// other, with nothing between but accesses whose places do not depend on what was read, and no
// write that may be of the same bytes, unless what it writes has been read before too: if they
// are the same after all, that read is recorded in front of it.
void find_update_pairs(std::vector<Access>& accesses, const Hooks& hooks, llvm::AAResults& aliases);

}  // namespace foretrace::instrument
