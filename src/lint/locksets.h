// Which locks a function holds where: a lockset over its control flow graph.
#pragma once

#include <unordered_map>
#include <vector>

#include "lint/summary.h"

namespace foretrace::lint {

// What a call of the function does to the locks of its caller, in the function's own
// words: a guard class of the user's takes a lock in its constructor.
struct LockEffect {
  std::vector<Held> gained;  // on every way out
  std::vector<Path> lost;    // on some way
  friend bool operator==(const LockEffect&, const LockEffect&) = default;
};

// In Op::held: a lock that the function gives back without having taken it. It is held
// there if the caller holds it.
inline constexpr uint32_t kIfCaller = UINT32_MAX - 1;

// Fills Op::held of all functions, callees' effects included.
void fill_locksets(const std::unordered_map<Name, Function*>& functions);

}  // namespace foretrace::lint
