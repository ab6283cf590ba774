// Rule (a) of Definition 5: sections of one lock that contain clashing accesses.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "analyses/cp/sections.h"
#include "base/hash.h"
#include "trace/event.h"

namespace foretrace::cp {

// The sections of one lock that have accessed one location.
struct AccessHistory {
  struct Mark {
    SectionId section;
    ThreadId thread;
  };
  struct ReaderMark {
    ThreadId thread;
    bool wrote;
    SectionId section;
  };

  Mark write = {};  // the last exclusive section with a write
  // Since then: the last exclusive section with a read, and the last one of
  // another thread; the last reader sections of each thread, by thread.
  Mark read = {};
  Mark other_read = {};
  std::unique_ptr<std::vector<ReaderMark>> readers = nullptr;
};

// Goes through the trace twice. The survey learns which locations can make an
// edge at all: those that two threads access, one of them writing. If a lock
// guards a location consistently, clashes on it need to be looked for under that
// lock only: an edge between two sections of it makes, by rule (b), the edges
// for all other locks that both accesses hold. So most locations have one
// history; only the others have one for each lock that was ever held.
class ClashingSections {
 public:
  // First for every event, in order.
  void survey(std::span<const Event> events);
  // Then once, with the whole trace. Adds no edge that others of it imply.
  BaseEdges connect(std::span<const Event> events);

 private:
  static constexpr size_t kMaxGuards = 3;
  struct Location {
    ThreadId thread = 0;  // the first one to access it
    bool accessed = false;
    bool shared = false;  // accessed by another one, too
    bool written = false;
    bool guarded = false;  // accessed under a lock at least once
    // Then: locks that protect every such access, some of them.
    uint32_t guard_count = 0;
    LockId guards[kMaxGuards] = {};
  };

  void survey(const Event& access);
  void connect(const Event& access);
  void add_access(AccessHistory& history, const Event& access, const Section& section);
  void add_exclusive(AccessHistory& history, const Event& access, const Section& section);
  void add_shared(AccessHistory& history, const Event& access, const Section& section);
  void add_edge(const AccessHistory::Mark& source, ThreadId thread, const Section& target);

  OpenSections open_;
  std::vector<Location> locations_;
  std::vector<AccessHistory> histories_;  // by guarded location
  // By lock and location, for locations without a guard.
  tsl::robin_map<uint64_t, AccessHistory, IntegerHash> unguarded_;
  BaseEdges edges_;
};

}  // namespace foretrace::cp
