// Order by a counter or flag and a condition variable: a thread accesses, and then writes a
// variable under a lock; another one waits, in a loop that it leaves by a look at this
// variable under the lock, and then accesses. Atomic variables need neither lock nor condition
// variable. Or it waits for a promise, latch, barrier or semaphore, and the first one signals that.
//
// It is order only if the loop waits for *that* write: a counter has to count all threads,
// and nothing else may make the condition true. That cannot be seen in the source as a whole,
// so what this says lowers the confidence of a finding, and takes none away.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "lint/flow_graph.h"
#include "lint/program.h"

namespace foretrace::lint {

class Awaited {
 public:
  explicit Awaited(const Program& program);

  struct Order {
    Position wait;
    Position write;
    LocationId variable = 0;
    bool is_signal = false;  // of a promise, latch, barrier or semaphore
  };
  // Whether all that a thread does at `earlier` comes before a write that the other thread
  // waits for before it comes to `later`.
  std::optional<Order> order(const Place& earlier, const Place& later) const;

 private:
  using Waits = std::set<uint32_t>;  // numbers of waits

  // A read that decides whether the wait is over.
  struct Look {
    Place place;
    Path path;
    std::vector<LocationId> locations;
  };
  // A wait that is over only if one of these looks, for each way out, found what it wants.
  struct Wait {
    Position position;
    std::vector<std::vector<Look>> exits;
    std::vector<LocationId> signalled;  // instead: a promise, latch, barrier or semaphore
  };
  struct Write {
    Place place;
    Path path;
  };
  class Finder;

  void find_before_contexts();
  Waits before(const Place& place) const;
  const FlowGraph& graph_of(ContextId context) const;
  bool wakes(const Place& earlier, const Look& look, const Write& write) const;
  bool comes_first(const Place& earlier, const Place& write) const;
  std::optional<Place> lifted(const Place& write) const;
  bool comes_first(const Place& earlier, const Place& write, std::set<ContextId>& open) const;

  const Program& program_;
  std::vector<Wait> waits_;
  // By context: after which op of a block, or in which blocks, the wait is over.
  struct Over {
    uint32_t wait = 0;
    std::optional<uint32_t> after;  // this op of the first block
    std::vector<bool> blocks;
  };
  std::map<ContextId, std::vector<Over>> over_;
  std::map<LocationId, std::vector<Write>> writes_;  // under a lock, of what is waited for
  std::map<LocationId, std::vector<Place>> signals_;
  std::map<ContextId, Waits> before_context_;
  mutable std::map<const Function*, FlowGraph> graphs_;
};

}  // namespace foretrace::lint
