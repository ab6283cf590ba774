// How many threads use each of many objects.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include <tsl/robin_set.h>

#include "trace/event.h"

namespace foretrace {

// Exact, except in a trace where very many threads share very many objects:
// then `complete()` is false and the counts are lower bounds.
class ThreadSets {
 public:
  void resize(size_t objects) { sets_.resize(objects); }

  void add(uint32_t object, ThreadId thread) {
    if (thread < kMasked) {
      sets_[object].mask |= uint64_t{1} << thread;
    } else {
      add_pair(object, thread);
    }
  }

  uint64_t count(uint32_t object) const {
    return static_cast<uint64_t>(std::popcount(sets_[object].mask)) + sets_[object].more;
  }
  bool complete() const { return complete_; }

 private:
  static constexpr ThreadId kMasked = 64;
  static constexpr size_t kMostPairs = size_t{1} << 22;
  // The set looks at the low bits of a hash, which in a pair are the thread's.
  struct PairHash {
    size_t operator()(uint64_t pair) const {
      pair *= 0x9E3779B97F4A7C15;
      return pair ^ (pair >> 32);
    }
  };
  struct Set {
    uint64_t mask = 0;  // of the threads below kMasked
    uint32_t more = 0;  // other threads
    ThreadId last = 0;  // the one of these that was added last
  };

  void add_pair(uint32_t object, ThreadId thread) {
    Set& set = sets_[object];
    if (set.last == thread) return;
    const uint64_t pair = (uint64_t{object} << 24) | thread;
    if (pairs_.size() < kMostPairs) {
      set.more += pairs_.insert(pair).second ? 1 : 0;
    } else if (!pairs_.contains(pair)) {
      complete_ = false;
    }
    set.last = thread;
  }

  std::vector<Set> sets_;
  tsl::robin_set<uint64_t, PairHash> pairs_;
  bool complete_ = true;
};

}  // namespace foretrace
