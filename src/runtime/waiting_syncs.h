// What signal handlers that interrupt the recorder do to synchronise. It has its stamp at once, and
// becomes a record when the thread's recorder can write one: in front of the first record with a
// later stamp, or when it is left.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/layout.h"

namespace foretrace::runtime {

// Only the thread and its handlers use it: each handler that begins ends before what it interrupted
// goes on, or leaves it by a jump.
class WaitingSyncs {
 public:
  static constexpr uint32_t kMost = 64;

  struct Sync {
    recording::Record record;
    std::atomic<bool> is_complete;
  };

  // A place for a new one; null: there is none.
  Sync* begin() {
    const uint32_t place = used_.fetch_add(1, std::memory_order_relaxed);
    return place < kMost ? &syncs_[place] : nullptr;
  }
  // The one with the earliest stamp; null if there is none.
  Sync* first() {
    Sync* first = nullptr;
    const uint32_t used = this->used();
    for (uint32_t i = 0; i < used; ++i) {
      Sync& sync = syncs_[i];
      if (!sync.is_complete.load(std::memory_order_acquire)) continue;
      const bool is_earlier =
          first == nullptr || recording::is_later(first->record.upper(), sync.record.upper());
      if (is_earlier) first = &sync;
    }
    return first;
  }
  // All that were there when `used` were in use are over. Not if there are more by now.
  void clear(uint32_t used) { used_.compare_exchange_strong(used, 0, std::memory_order_relaxed); }
  uint32_t in_use() const { return used_.load(std::memory_order_relaxed); }

 private:
  uint32_t used() const { return in_use() < kMost ? in_use() : kMost; }

  std::atomic<uint32_t> used_;
  Sync syncs_[kMost];
};

}  // namespace foretrace::runtime
