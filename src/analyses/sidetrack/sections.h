// What is remembered of a lock: its latest sections and vulnerable windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "analyses/open_units.h"
#include "order/happens_before.h"
#include "order/lockset.h"
#include "order/vector_clock.h"
#include "trace/event.h"

namespace foretrace::sidetrack {

// An acquire, for writing or reading, or the end of a wait.
struct Acquire {
  // The thread's, before the acquire makes it learn what the lock's last holders
  // knew: the C_t that Figure 20.3 stores in A and V.
  Epoch epoch;
  uint64_t index = 0;  // for the end of a wait: of the thread's next event
  Event event = {};    // the event at that index
  bool shared = false;
  LocksetId held = kEmptyLockset;
};

struct Section {
  Acquire acquire;
  Epoch released;  // the thread's, at the release; R of Figure 20.3

  ThreadId thread() const { return acquire.epoch.thread(); }
  bool shared() const { return acquire.shared; }
};

// Two consecutive acquires of a lock in one unit.
struct Window {
  Acquire first;
  Acquire second;
  std::shared_ptr<UnitStack> units;  // that contain both

  ThreadId thread() const { return second.epoch.thread(); }
  bool shared() const { return second.shared; }
};

// Of the records of one lock, in trace order, those that stand for all: the last
// exclusive one and, of those for reading since then, the last of each thread.
//
// Why an epoch is enough where Figure 20.3 compares vector clocks. An epoch ends
// with its only outgoing edge. So a thread that knows the epoch of a record has
// learnt all that the record's thread knew when it left that epoch, and that is,
// through the lock itself, every record that an exclusive one replaced.
template <typename Record>
class Latest {
 public:
  void add(Record record) {
    if (!record.shared()) {
      exclusive_ = std::move(record);
      readers_.clear();
      return;
    }
    const auto place =
        std::lower_bound(readers_.begin(), readers_.end(), record.thread(),
                         [](const Record& r, ThreadId thread) { return r.thread() < thread; });
    if (place != readers_.end() && place->thread() == record.thread()) {
      *place = std::move(record);
    } else {
      readers_.insert(place, std::move(record));
    }
  }

  Record& exclusive() { return exclusive_; }
  Record& reader(ThreadId thread) {
    return *std::lower_bound(readers_.begin(), readers_.end(), thread,
                             [](const Record& r, ThreadId wanted) { return r.thread() < wanted; });
  }

  // A record with an epoch (as `epoch_of` says) that `thread` does not know of;
  // null if it knows all. With `exclusive_only`, those for reading do not count.
  template <typename EpochOf>
  const Record* unknown_to(ThreadId thread, HappensBefore& order, bool exclusive_only,
                           EpochOf epoch_of) const {
    const auto unknown = [&](const Record& record) {
      return !order.ordered(epoch_of(record), thread);
    };
    if (unknown(exclusive_)) return &exclusive_;
    if (exclusive_only) return nullptr;
    const auto reader = std::find_if(readers_.begin(), readers_.end(), unknown);
    return reader == readers_.end() ? nullptr : &*reader;
  }

 private:
  Record exclusive_ = {};        // its epochs are zero, which all know, if there was none
  std::vector<Record> readers_;  // by thread
};

}  // namespace foretrace::sidetrack
