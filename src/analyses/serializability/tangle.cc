#include "analyses/serializability/tangle.h"

#include <algorithm>

#include "base/hash.h"

namespace foretrace::serializability {

LocksetId held_through(LocksetTable& locksets, const std::vector<Release>& releases, const Use& a,
                       const Use& b) {
  const auto [first, last] = std::minmax(a.index, b.index);
  LocksetId held = kEmptyLockset;
  for (const HeldLock& lock : locksets.locks(locksets.intersection(a.held, b.held))) {
    const bool kept = std::none_of(
        releases.begin(), releases.end(), [&, from = first, to = last](const Release& release) {
          return release.lock == lock.lock && from < release.index && release.index < to;
        });
    if (kept) held = locksets.with(held, lock);
  }
  return held;
}

uint64_t with_looks(uint64_t key, const Use& use) {
  key = mixed(key + (uint64_t{use.event.site} << 8 | static_cast<uint64_t>(use.op)));
  return use.event.site == kNoSite ? mixed(key + key_of(use) + 1) : key;
}

uint64_t looks_of(const Tangle& tangle, uint64_t seed) {
  uint64_t key = mixed(seed);
  for (const Use* use : {&tangle.out, &tangle.in, &tangle.back_out, &tangle.back_in}) {
    key = with_looks(key, *use);
  }
  return key;
}

}  // namespace foretrace::serializability
