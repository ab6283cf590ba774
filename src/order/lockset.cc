#include "order/lockset.h"

#include <algorithm>
#include <iterator>

namespace foretrace {

LocksetTable::LocksetTable() { intern({}); }

LocksetId LocksetTable::intern(std::vector<Key> keys) {
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (const Key key : keys) hash = (hash ^ key) * 0x100000001B3ULL;
  std::vector<LocksetId>& same_hash = by_hash_[hash];
  for (const LocksetId id : same_hash) {
    if (sets_[id] == keys) return id;
  }
  const auto id = static_cast<LocksetId>(sets_.size());
  same_hash.push_back(id);
  sets_.push_back(std::move(keys));
  return id;
}

// Computes a set from `set` and `argument` once, and looks it up afterwards.
template <typename Compute>
LocksetId LocksetTable::memoised(Step step, LocksetId set, uint32_t argument, Compute compute) {
  auto& memo = steps_[static_cast<size_t>(step)];
  const uint64_t key = uint64_t{set} << 32 | argument;
  if (const auto found = memo.find(key); found != memo.end()) return found->second;
  const LocksetId result = intern(compute(sets_[set]));
  memo.emplace(key, result);
  return result;
}

LocksetId LocksetTable::with(LocksetId set, HeldLock lock) {
  const Key key = key_of(lock);
  return memoised(Step::add, set, key, [&](std::vector<Key> keys) {
    const auto place = std::lower_bound(keys.begin(), keys.end(), key);
    if (place == keys.end() || *place != key) keys.insert(place, key);
    return keys;
  });
}

LocksetId LocksetTable::without(LocksetId set, HeldLock lock) {
  const Key key = key_of(lock);
  return memoised(Step::remove, set, key, [&](std::vector<Key> keys) {
    std::erase(keys, key);
    return keys;
  });
}

LocksetId LocksetTable::of(std::span<const HeldLock> locks) {
  LocksetId set = kEmptyLockset;
  for (const HeldLock lock : locks) set = with(set, lock);
  return set;
}

LocksetId LocksetTable::intersection(LocksetId a, LocksetId b) {
  if (a == b) return a;
  return memoised(Step::intersect, std::min(a, b), std::max(a, b), [&](const auto&) {
    std::vector<Key> common;
    std::set_intersection(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                          std::back_inserter(common));
    return common;
  });
}

LocksetId LocksetTable::exclusive_part(LocksetId set) {
  return memoised(Step::exclusive, set, 0, [](std::vector<Key> keys) {
    std::erase_if(keys, [](Key key) { return (key & 1) != 0; });
    return keys;
  });
}

LocksetId LocksetTable::as_exclusive(LocksetId set) {
  return memoised(Step::as_exclusive, set, 0, [](std::vector<Key> keys) {
    for (Key& key : keys) key &= ~Key{1};
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
  });
}

bool LocksetTable::exclude_each_other(LocksetId a, LocksetId b) const {
  // Not looked up: the sets are small, and there may be very many pairs of them.
  const std::vector<Key>& left = sets_[a];
  const std::vector<Key>& right = sets_[b];
  for (auto l = left.begin(), r = right.begin(); l != left.end() && r != right.end();) {
    if (*l >> 1 == *r >> 1) {
      if ((*l & *r & 1) == 0) return true;
      // Both shared; the next key of a set is of another lock, as locks that are
      // held for writing as well come first.
      ++l;
      ++r;
    } else if (*l < *r) {
      ++l;
    } else {
      ++r;
    }
  }
  return false;
}

std::vector<HeldLock> LocksetTable::locks(LocksetId set) const {
  std::vector<HeldLock> locks;
  for (const Key key : sets_[set]) locks.push_back({key >> 1, (key & 1) != 0});
  return locks;
}

LocksetId HeldLocks::look_up(std::span<const HeldLock> locks) {
  if (locks.empty()) return kEmptyLockset;
  if (locks.size() > 2) return table_.of(locks);
  const auto half = [](HeldLock lock) { return (uint64_t{lock.lock} + 1) << 1 | lock.shared; };
  const uint64_t one = half(locks.front());
  const uint64_t other = locks.size() == 2 ? half(locks.back()) : 0;
  const uint64_t both = std::max(one, other) << 32 ^ std::min(one, other);
  Known* const known = &known_[mixed(both) >> (64 - kKnownBits) << 1];  // one of two
  if (known[0].locks == both) return known[0].set;
  if (known[1].locks == both) return known[1].set;
  known[1] = known[0];
  known[0] = {both, table_.of(locks)};
  return known[0].set;
}

void HeldLocks::advance(const Event& event) {
  switch (event.op()) {
    case Op::acq:
    case Op::racq:
    case Op::rel:
    case Op::rrel:
    case Op::wait:
      break;
    default:
      return;
  }
  Thread& thread = at(event.thread);
  const bool shared = event.op() == Op::racq || event.op() == Op::rrel;
  if (event.op() == Op::acq || event.op() == Op::racq) {
    thread.take({event.object, shared});
  } else {
    thread.let_go({event.object, shared});
  }
  if (event.op() == Op::wait) {
    thread.waiting = true;
    thread.wait_lock = event.object;
  }
}

void HeldLocks::resume(const Event& event) {
  Thread& thread = at(event.thread);
  if (!thread.waiting) return;
  thread.waiting = false;
  thread.take({thread.wait_lock, false});
}

}  // namespace foretrace
