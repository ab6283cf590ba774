// Acquires of a lock by a thread that already holds others.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "order/lockset.h"
#include "trace/event.h"

namespace foretrace::deadlock {

// Acquires by one thread of one lock, at one site, with the same locks held.
struct LockRequest {
  ThreadId thread = 0;
  LockId lock = 0;
  bool shared = false;
  LocksetId held = kEmptyLockset;
  SiteId site = 0;
  std::vector<uint64_t> acquires = {};  // indexes of the first ones
  uint64_t left_out = 0;                // how many others there are
};

class LockRequests {
 public:
  // Of acquires that look the same, `kept` are remembered.
  void add(uint64_t index, const Event& acquire, LocksetId held, size_t kept);

  // Those that can be part of a cycle, as far as lock names tell: somebody holds
  // what they ask for, and somebody asks for something that they hold. Where
  // locks are always taken in the same order, that leaves none. In the order of
  // their first acquires.
  std::vector<LockRequest> in_question(const LocksetTable& locksets) const;

 private:
  std::vector<LockRequest> requests_;
  tsl::robin_map<uint64_t, std::vector<uint32_t>, IntegerHash> by_hash_;
};

}  // namespace foretrace::deadlock
