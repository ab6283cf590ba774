// Causally-precedes (paper 000, Definition 5), given its base edges.
#pragma once

#include <span>
#include <vector>

#include "analyses/cp/hard_edges.h"
#include "analyses/cp/section_queue.h"
#include "analyses/cp/sections.h"
#include "order/happens_before.h"

namespace foretrace::cp {

// Follows a well-formed stream of events and knows, at each point, which past
// events causally precede the next event of each thread.
//
// e1 <CP e2 iff there is one base or hard edge (r, a) with e1 <=HB r and a <=HB
// e2: CP lies inside HB, so a chain of edges is covered by its last one. So what
// causally precedes an event, its causes, is closed under HB and is a vector
// clock: the join of the HB clocks of such r. Along HB edges it is passed on.
class CausalOrder {
 public:
  explicit CausalOrder(const BaseEdges& edges);
  virtual ~CausalOrder() = default;
  CausalOrder(const CausalOrder&) = delete;
  CausalOrder& operator=(const CausalOrder&) = delete;

  // For every event with `resumes` set; then advance() for every event that is
  // not an access (others are ignored). In trace order.
  void resume(const Event& event);
  void advance(const Event& event);

  // Whether an event with that epoch of happens_before() causally precedes the
  // thread's next event.
  bool ordered(Epoch past, ThreadId thread) {
    return past.clock() <= causes(thread).get(past.thread());
  }
  HappensBefore& happens_before() { return order_; }

 protected:
  struct ReaderQueue {
    ThreadId thread;
    SectionQueue past;
  };
  struct Lock {
    VectorClock causes;         // of the last exclusive release
    VectorClock reader_causes;  // of the readers' releases since then
    SectionQueue writers;
    std::vector<ReaderQueue> readers;  // by thread
  };

  // All sections are kept that may be the source of an edge into one of the last
  // `window` sections.
  CausalOrder(const BaseEdges& edges, SectionId window) : edges_(edges), window_(window) {}

  virtual void begin(ThreadId thread, const Section& section);
  virtual void end(ThreadId thread, const Section& section);

  VectorClock& causes(ThreadId thread);
  Lock& lock(LockId id);
  static SectionQueue& past_sections(Lock& lock, const Section& section, ThreadId thread);
  OpenSections& open() { return open_; }

 private:
  void apply_edges(const Section& section, Lock& lock, VectorClock& causes);

  const BaseEdges& edges_;
  const SectionId window_;
  std::vector<bool> is_source_;  // by section; empty: any may be
  size_t next_from_reader_ = 0;  // in edges_.from_readers
  HappensBefore order_;
  HardEdges hard_;
  OpenSections open_;
  std::vector<VectorClock> causes_;  // by thread, of its next event
  std::vector<Lock> locks_;
};

}  // namespace foretrace::cp
