// Rule (b) of Definition 5: sections of one lock that contain CP-ordered events.
#pragma once

#include <span>
#include <vector>

#include "analyses/cp/causal_order.h"

namespace foretrace::cp {

// How many sections are remembered: more than a thread goes through while another
// one is inside one.
inline constexpr size_t kRememberedSections = size_t{1} << 16;

enum class SearchResult {
  complete,
  incomplete,   // there may be more to find: call it again
  interrupted,  // see base/interrupt.h
};

// Adds to the edges of rule (a), and of rule (b) that are known, more of those of
// rule (b): in general, all. `events` may leave out those that are neither
// synchronisation nor have `resumes` set.
SearchResult search_edges(BaseEdges& edges, std::span<const Event> events,
                          size_t remembered = kRememberedSections);

// One pass. At the end of a section, rule (b) says which edges go into it, and
// those hold from its start on. Other threads may have learnt something from it
// in between, from locks that it released inside. Then they have learnt too
// little, and that is repaired at once, as far as it is remembered: for the last
// sections.
class EdgeSearch : public CausalOrder {
 public:
  // Adds to `edges`; remembers so many sections.
  EdgeSearch(BaseEdges& edges, size_t remembered);

  // After the last event.
  void finish();
  // Whether there was something to repair before what is remembered. Then it
  // takes another pass, with the new edges.
  bool incomplete() const { return incomplete_; }

 private:
  using Time = uint64_t;  // counts acquires and releases
  struct Record {         // of a section
    Section section;
    ThreadId thread = 0;
    Time begun = 0;
    VectorClock causes;  // of its release; none while it is open
  };
  struct Ending {
    SectionId id;
    Time time;
  };
  struct ThreadRecord {
    std::vector<Ending> ended;  // its last sections, in the order of their releases
    Time forgotten = 0;         // the last release that is not among them
  };
  // All that the thread did after `since` has `clock` among its causes.
  struct Lesson {
    ThreadId thread;
    Time since;
    VectorClock clock;
  };

  void begin(ThreadId thread, const Section& section) override;
  void end(ThreadId thread, const Section& section) override;

  Record* remembered(SectionId id);
  void find_sources(const Section& section, ThreadId thread, Time begun, const VectorClock& causes);
  void repair();
  void teach(const Lesson& lesson);
  void teach_followers(const Record& record, const VectorClock& clock);

  BaseEdges& edges_;
  std::vector<BaseEdges::FromReader> found_;  // to be added to edges_ in the end
  bool incomplete_ = false;
  Time now_ = 0;
  std::vector<Record> records_;                // the last sections, by id modulo size
  std::vector<std::vector<SectionId>> begun_;  // by lock: the last sections
  std::vector<ThreadRecord> thread_records_;
  std::vector<Lesson> lessons_;  // yet to be taught
};

}  // namespace foretrace::cp
