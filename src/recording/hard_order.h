// What no schedule of a run can turn round.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "order/vector_clock.h"

namespace foretrace {

// The order of a run's records that every correct reordering of it keeps, whatever
// becomes of its critical sections: program order, from a thread's creation to what
// it does and from there to its join, from the arrivals at a barrier to what its
// threads do next, and from an atomic write to an atomic read or update that saw
// it. Every analysis that leaves ordered accesses alone has at least these edges
// (docs/recording.md).
//
// Threads have the numbers of their process; what synchronises is known by its
// address.
class HardOrder {
 public:
  // Records of a thread between two of its outgoing edges have the same epoch.
  Epoch epoch(uint32_t thread) { return at(thread).epoch; }
  // Changes whenever an answer of ordered() may change.
  uint64_t version() const { return version_; }
  // Whether what has epoch `past` comes before the thread's next record (or is by
  // the same thread).
  bool ordered(Epoch past, uint32_t thread) {
    return past.clock() <= at(thread).clock.get(past.thread());
  }

  void create(uint32_t thread, uint32_t child);
  void join(uint32_t thread, uint32_t child);
  void arrive(uint32_t thread, uint64_t barrier);
  // The thread is past the barrier that it arrived at last, if it was at one.
  void go_on(uint32_t thread) {
    if (thread < threads_.size() && threads_[thread].barrier != nullptr) pass(threads_[thread]);
  }

  void atomic_read(uint32_t thread, uint64_t address, uint64_t bytes);
  void atomic_write(uint32_t thread, uint64_t address, uint64_t bytes);
  void atomic_update(uint32_t thread, uint64_t address, uint64_t bytes) {
    atomic_read(thread, address, bytes);
    atomic_write(thread, address, bytes);
  }
  // These bytes were written in another way: who reads them sees no atomic write.
  void overwrite(uint64_t address, uint64_t bytes);
  // What was at these addresses is over.
  void forget(uint64_t address, uint64_t bytes);

 private:
  struct Generation {
    VectorClock clock;
    bool open = true;  // nobody has gone on yet
  };
  struct Thread {
    Epoch epoch;
    VectorClock clock;  // its own component is epoch.clock()
    std::shared_ptr<Generation> barrier;
  };
  // What the last write of some bytes knew.
  struct Write {
    uint64_t bytes;
    VectorClock clock;
  };

  Thread& at(uint32_t thread) {
    while (thread >= threads_.size()) add_thread();
    return threads_[thread];
  }
  void add_thread();
  void pass(Thread& thread);
  void advance(Thread& thread);

  uint64_t version_ = 0;
  std::vector<Thread> threads_;
  std::map<uint64_t, Write> writes_;  // by address; they do not overlap
  std::map<uint64_t, std::shared_ptr<Generation>> barriers_;
};

}  // namespace foretrace
