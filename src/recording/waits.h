// Waits for conditions during which a handler of a signal did something.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_set.h>

#include "base/hash.h"
#include "runtime/layout.h"

namespace foretrace {

// By the lower halves of their stamps. In a trace a thread does nothing between its `wait` and the
// event that has the lock again; so such a wait is a release there, and then an acquire.
using InterruptedWaits = tsl::robin_set<uint32_t, IntegerHash>;

// Whether a record is of what its thread does. (What happens to memory may be known of it, too.)
inline bool is_of_thread(recording::Kind kind) {
  using recording::Kind;
  return kind != Kind::stack && kind != Kind::alloc && kind != Kind::free && kind != Kind::benign &&
         kind != Kind::atomic_set && kind != Kind::owner_died;
}

// Sees the records of all threads, and finds them.
class WaitWatch {
 public:
  // By a thread's number, which are dense.
  void add(uint32_t thread, const recording::Record& record) {
    const bool begins = record.kind() == recording::Kind::cond_wait;
    if (waiting_ == 0 && !begins) return;
    if (thread >= threads_.size()) threads_.resize(thread + 1);
    Wait& wait = threads_[thread];
    if (wait.lasts && ends(wait, record)) {
      wait.lasts = false;
      --waiting_;
    }
    if (!begins || wait.lasts) return;
    wait = {record.address(), record.upper(), true};
    ++waiting_;
  }
  const InterruptedWaits& interrupted() const { return interrupted_; }

 private:
  struct Wait {
    uint64_t lock = 0;
    uint32_t stamp = 0;
    bool lasts = false;
  };

  bool ends(const Wait& wait, const recording::Record& record) {
    const recording::Kind kind = record.kind();
    if (kind == recording::Kind::lock && record.address() == wait.lock) return true;
    if (!is_of_thread(kind) || kind == recording::Kind::operand || kind == recording::Kind::stamp) {
      return false;
    }
    interrupted_.insert(wait.stamp);
    return true;
  }

  std::vector<Wait> threads_;
  uint32_t waiting_ = 0;
  InterruptedWaits interrupted_;
};

}  // namespace foretrace
