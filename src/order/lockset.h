// Sets of locks: which a thread holds, and which guard a location.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "trace/event.h"

namespace foretrace {

// The number of a set in a LocksetTable.
using LocksetId = uint32_t;
inline constexpr LocksetId kEmptyLockset = 0;

struct HeldLock {
  LockId lock;
  bool shared;  // held for reading
  bool operator==(const HeldLock&) const = default;
};

// Every set that occurs is stored once; a program uses few. So an access can
// remember its lockset in four bytes, and intersections are looked up.
class LocksetTable {
 public:
  LocksetTable();

  LocksetId with(LocksetId set, HeldLock lock);
  LocksetId without(LocksetId set, HeldLock lock);
  // The set of these locks, in any order.
  LocksetId of(std::span<const HeldLock> locks);
  LocksetId intersection(LocksetId a, LocksetId b);
  // The locks of the set that are held for writing. (Eraser's write_held.)
  LocksetId exclusive_part(LocksetId set);
  // The same locks, all counted as held for writing: protection for a reader.
  LocksetId as_exclusive(LocksetId set);

  // Whether some lock is in both sets, in one of them for writing: two threads
  // cannot hold these sets at the same time.
  bool exclude_each_other(LocksetId a, LocksetId b) const;

  std::vector<HeldLock> locks(LocksetId set) const;

 private:
  using Key = uint32_t;  // lock number times two, plus one if shared
  static Key key_of(HeldLock lock) { return lock.lock << 1 | static_cast<Key>(lock.shared); }
  enum class Step : uint32_t { add, remove, intersect, exclusive, as_exclusive };

  template <typename Compute>
  LocksetId memoised(Step step, LocksetId set, uint32_t argument, Compute compute);
  LocksetId intern(std::vector<Key> keys);

  std::vector<std::vector<Key>> sets_;  // sorted
  tsl::robin_map<uint64_t, std::vector<LocksetId>, IntegerHash> by_hash_;
  tsl::robin_map<uint64_t, LocksetId, IntegerHash> steps_[5];
};

// The set of locks that each thread holds, along a well-formed stream. Which set in the
// table that is, is looked up only when somebody asks.
class HeldLocks {
 public:
  explicit HeldLocks(LocksetTable& table) : table_(table) {}

  // For every event that is not an access, after resume() if `resumes` is set.
  void advance(const Event& event);
  void resume(const Event& event);

  LocksetId held(ThreadId thread) {
    Thread& known = at(thread);
    if (!known.is_looked_up) {
      known.is_looked_up = true;
      known.set = look_up(known.locks);
    }
    return known.set;
  }

 private:
  // Programs hold one lock or two, most of the time, and a few of them again and again.
  struct Known {
    uint64_t locks = 0;  // one in each half; 0: none
    LocksetId set = kEmptyLockset;
  };
  static constexpr uint32_t kKnownBits = 12;
  struct Thread {
    std::vector<HeldLock> locks;  // in the order in which they were taken
    LocksetId set = kEmptyLockset;
    bool is_looked_up = true;  // `set` is that of `locks`
    bool waiting = false;
    LockId wait_lock = 0;

    void take(HeldLock lock) {
      if (holds(lock)) return;
      locks.push_back(lock);
      is_looked_up = false;
    }
    void let_go(HeldLock lock) {
      std::erase(locks, lock);
      is_looked_up = false;
    }
    bool holds(HeldLock lock) const {
      return std::find(locks.begin(), locks.end(), lock) != locks.end();
    }
  };
  Thread& at(ThreadId thread) {
    if (thread >= threads_.size()) threads_.resize(thread + 1);
    return threads_[thread];
  }

  LocksetId look_up(std::span<const HeldLock> locks);

  LocksetTable& table_;
  std::vector<Thread> threads_;
  std::vector<Known> known_ = std::vector<Known>(size_t{2} << kKnownBits);
};

}  // namespace foretrace
