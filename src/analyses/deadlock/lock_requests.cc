#include "analyses/deadlock/lock_requests.h"

#include <algorithm>

#include "base/table.h"

namespace foretrace::deadlock {
namespace {

// Takes requests away until each of those left asks for a lock that one of them
// holds, and holds one that one of them asks for. Linear: each lock runs out of
// askers and of holders once.
class Peeling {
 public:
  Peeling(const std::vector<LockRequest>& requests, const LocksetTable& locksets)
      : requests_(requests), locksets_(locksets), asked_for_(requests.size()) {
    for (uint32_t i = 0; i < requests.size(); ++i) add(i);
    for (LockId lock = 0; lock < uses_.size(); ++lock) check(lock);
    for (; !exhausted_.empty();) {
      const Exhausted next = exhausted_.back();
      exhausted_.pop_back();
      take_away(next);
    }
  }

  bool left(uint32_t request) const { return asked_for_[request] != 0; }

 private:
  struct Use {
    std::vector<uint32_t> askers, holders;  // all requests that ever were
    size_t asking = 0, holding = 0;         // how many are left
  };
  struct Exhausted {
    LockId lock;
    bool askers;  // there are none left; else there are no holders
  };

  void add(uint32_t request) {
    Use& asked = slot(uses_, requests_[request].lock);
    asked.askers.push_back(request);
    ++asked.asking;
    for (const HeldLock& held : locksets_.locks(requests_[request].held)) {
      Use& use = slot(uses_, held.lock);
      use.holders.push_back(request);
      ++use.holding;
      ++asked_for_[request];
    }
  }

  void check(LockId lock) {
    if (uses_[lock].asking == 0) exhausted_.push_back({lock, true});
    if (uses_[lock].holding == 0) exhausted_.push_back({lock, false});
  }

  void take_away(const Exhausted& exhausted) {
    const Use& use = uses_[exhausted.lock];
    if (exhausted.askers) {
      for (const uint32_t request : use.holders) {
        if (left(request) && --asked_for_[request] == 0) remove(request);
      }
    } else {
      for (const uint32_t request : use.askers) {
        if (!left(request)) continue;
        asked_for_[request] = 0;
        remove(request);
      }
    }
  }

  void remove(uint32_t request) {
    Use& asked = uses_[requests_[request].lock];
    if (--asked.asking == 0) exhausted_.push_back({requests_[request].lock, true});
    for (const HeldLock& held : locksets_.locks(requests_[request].held)) {
      if (--uses_[held.lock].holding == 0) exhausted_.push_back({held.lock, false});
    }
  }

  const std::vector<LockRequest>& requests_;
  const LocksetTable& locksets_;
  std::vector<uint32_t> asked_for_;  // by request: its held locks that are asked for; 0: taken away
  std::vector<Use> uses_;            // by lock
  std::vector<Exhausted> exhausted_;
};

}  // namespace

void LockRequests::add(uint64_t index, const Event& acquire, LocksetId held, size_t kept) {
  const bool shared = acquire.op() == Op::racq;
  const uint64_t where = uint64_t{acquire.thread} << 32 | acquire.object;
  const uint64_t how = uint64_t{held} << 32 | acquire.site;
  std::vector<uint32_t>& same_hash = by_hash_[mixed(where) ^ (how << 1 | uint64_t{shared})];
  const auto found = std::find_if(same_hash.begin(), same_hash.end(), [&](uint32_t i) {
    const LockRequest& r = requests_[i];
    return r.thread == acquire.thread && r.lock == acquire.object && r.shared == shared &&
           r.held == held && r.site == acquire.site;
  });
  if (found == same_hash.end()) {
    same_hash.push_back(static_cast<uint32_t>(requests_.size()));
    requests_.push_back({acquire.thread, acquire.object, shared, held, acquire.site, {index}});
    return;
  }
  LockRequest& request = requests_[*found];
  if (request.acquires.size() < kept) {
    request.acquires.push_back(index);
  } else {
    ++request.left_out;
  }
}

std::vector<LockRequest> LockRequests::in_question(const LocksetTable& locksets) const {
  const Peeling peeling(requests_, locksets);
  std::vector<LockRequest> left;
  for (uint32_t i = 0; i < requests_.size(); ++i) {
    if (peeling.left(i)) left.push_back(requests_[i]);
  }
  return left;
}

}  // namespace foretrace::deadlock
