// The must-before order of a trace (paper 000, Definition 8), extended to every
// operation that Foretrace knows.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <tsl/robin_map.h>

#include "analyses/mb/conflicts.h"
#include "analyses/mb/lock_history.h"
#include "analyses/mb/stretch.h"
#include "base/hash.h"
#include "base/table.h"
#include "trace/event.h"

namespace foretrace::mb {

// A critical section into whose acquire edges may still lead (condition 3).
struct Section {
  LockId lock = 0;
  ThreadId thread = 0;
  bool shared = false;
  bool open = true;
  bool queued = false;
  // Every earlier section on the lock that could be before it already is.
  bool complete = false;
  uint64_t acquired = 0;     // index
  Stretch* start = nullptr;  // begins with the acquire; null once it is complete
  Stretch* end = nullptr;    // the release is in it; null while it is open
  Section* next = nullptr;   // the next one that is released in the same stretch
};

struct MustBeforeOptions {
  // Sections that were acquired more than so many events ago do not get edges
  // any more; see force().
  uint64_t window = 1'000'000;
  // Events between two calls of settle(), and stretches between two collections
  // of garbage, at least.
  uint64_t settle_every = 4096;
  uint64_t collect_every = uint64_t{1} << 16;
};

struct MustBeforeStatistics {
  size_t stretches = 0;      // kept, and those among them that may still change
  size_t listed = 0;         //
  size_t sections = 0;       // that may still get edges
  size_t past_sections = 0;  // in lock histories
  uint64_t forced = 0;       // sections, so far
  uint64_t forgotten = 0;    // lookups of sections that had been forgotten, so far
};

// Follows a well-formed stream of events and knows which past events must come
// before the next event of each thread, as far as the trace shows it up to here.
// The order is the smallest transitive relation with these edges, each from the
// earlier to the later event in the trace:
//   program order; between two accesses of one location, one of them a write, by
//   two threads; the same for vrd, vwr and vrmw; fork -> the thread's events; the
//   thread's events -> join; notify -> a later notify of the lock and the end of
//   a later-ending wait on it; the arrivals of a barrier's generation -> what its
//   threads do next;
// and condition 3: if the acquire of a section must come before the release of
// another one on the same lock, not both of readers, then its release must come
// before the other's acquire. A wait ends a section, and its end begins one. A
// section that is open counts as if it ended after its thread's last event so
// far: so edges are added as early as they are certain.
class MustBefore {
 public:
  explicit MustBefore(const MustBeforeOptions& options) : options_(options) {}
  MustBefore(const MustBefore&) = delete;
  MustBefore& operator=(const MustBefore&) = delete;

  // Call for every event that is not an access, in trace order (others are
  // ignored), after resume() if the event has `resumes` set.
  void advance(uint64_t index, const Event& event);
  // The thread's wait or barrier is over: `event` is its next event.
  void resume(uint64_t index, const Event& event);

  struct Clash {
    Op op;
    PastAccess access;
  };
  // Call for every access, after resume(). If there are clashing accesses that
  // were not before the thread's events so far, calls on_unordered(stretch,
  // clashes), where the stretch is the one before the access: a clash is no race
  // if the stretch's past, now or when it is settled, has it. A read that comes
  // before the access is forgotten only if is_forgettable(its epoch).
  template <typename IsForgettable, typename OnUnordered>
  void access(uint64_t index, const Event& event, LocksetId held, IsForgettable is_forgettable,
              OnUnordered on_unordered) {
    Conflicts& location = this->location(event.object);
    const bool is_write = event.op() == Op::wr;
    Stretch* const before = thread(event.thread).current;
    if (may_clash(location, is_write, *before) && clash(index, event, is_write, location)) {
      on_unordered(*before, unordered_);
    }
    remember(index, event, held, location, is_forgettable);
  }
  // Calls visit(op, past access) for what an access that is about to come clashes
  // with, if another thread made it. (There are also accesses of zero epoch: none.)
  template <typename Visit>
  void for_each_clash(const Event& event, Visit visit) {
    reads_.for_each_clash(location(event.object), event.op() == Op::wr, visit);
  }
  // Call some events ahead of access(). (Inlined, or GCC takes a call for one
  // that has no effect, and drops it.)
  [[gnu::always_inline]] void prefetch(const Event& event) const {
    if (is_access(event.op()) && event.object < locations_.size()) {
      __builtin_prefetch(&locations_[event.object], 1);
    }
  }

  // Whether the event must come before `thread`'s next event (or is its own).
  bool ordered(Epoch past, ThreadId thread_id) { return has(*thread(thread_id).current, past); }
  // The same for the events of a stretch.
  static bool has(const Stretch& stretch, Epoch past) {
    return past.thread() == stretch.thread || past.clock() <= stretch.knows(past.thread());
  }
  // The stretch that the thread's next event belongs to, unless it begins one.
  Stretch& stretch(ThreadId id) { return *thread(id).current; }

  // Whether it is time for settle().
  bool due(uint64_t index) const { return index >= next_settle_; }
  // Whether some section is so old that it has to be forced first.
  bool overdue(uint64_t index) const;
  // Gives sections that are older than the window all the edges that they could
  // ever get: from every earlier section on their lock, as in happens-before. So
  // the order becomes larger than must-before, but never than happens-before with
  // the clashes.
  void force(uint64_t index);
  // Calls on_settled for stretches with pending accesses whose past will not
  // change any more, forgets them and what else can no longer matter.
  void settle(uint64_t index, const std::function<void(Stretch&)>& on_settled);
  // The trace is over: calls on_settled for the rest.
  void finish(const std::function<void(Stretch&)>& on_settled);

  MustBeforeStatistics statistics() const;

 private:
  // One generation of a barrier: the arrivals before the first thread goes on.
  struct Generation {
    std::vector<Point> arrivals;
    Stretch* all = nullptr;  // of no thread: after all arrivals; set when one goes on
  };
  struct Thread {
    Stretch* current = nullptr;
    std::vector<Stretch*> stretches;  // listed, oldest first; the last is `current`
    std::vector<Section*> open;       // in the order of their acquires
    std::vector<Section*> closed;     // not complete, in the order of their releases
    uint64_t tags = 0;                // of the locks that it holds
    uint64_t learnt_of = 0;           // the clock of its last event that another thread knows
    bool waiting = false;
    bool joined = false;
    LockId wait_lock = 0;
    std::shared_ptr<Generation> barrier;
  };
  static constexpr ThreadId kNoThread = kMaxThreads;
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

  Thread& thread(ThreadId id) {
    if (id >= threads_.size()) add_thread(id);
    return threads_[id];
  }
  void add_thread(ThreadId id);
  Conflicts& location(LocationId id) { return slot(locations_, id); }
  LockHistory& lock(LockId id);

  // ---- stretches (must_before.cc)
  Stretch& begin_stretch(ThreadId id, uint64_t index);
  Stretch& begin_stretch_unless_fresh(ThreadId id, uint64_t index);
  void learn(Stretch& stretch, const Point& point);
  void learn(VectorClock& past, ThreadId other, const PastSection& section);
  Point point(uint64_t index, ThreadId id) {
    return {Epoch(id, clock_of(index)), thread(id).current};
  }
  // Quickly told; most accesses come after all that they clash with.
  static bool may_clash(const Conflicts& location, bool is_write, const Stretch& now) {
    if (!has(now, location.write.epoch())) return true;
    return is_write && (location.list != 0 || !has(now, location.reads[0].epoch()) ||
                        !has(now, location.reads[1].epoch()));
  }
  bool clash(uint64_t index, const Event& event, bool is_write, const Conflicts& location);
  template <typename IsForgettable>
  void remember(uint64_t index, const Event& event, LocksetId held, Conflicts& location,
                IsForgettable is_forgettable) {
    const Stretch& now = *threads_[event.thread].current;
    const PastAccess access(Epoch(event.thread, clock_of(index)), event.site, held, now.id);
    if (event.op() == Op::rd || event.op() == Op::vrd) {
      reads_.remember_read(location, access, [&](const PastAccess& read) {
        return has(now, read.epoch()) && is_forgettable(read.epoch());
      });
    } else {
      reads_.remember_write(location, access);
    }
  }

  // ---- operations (must_before.cc)
  void acquire(uint64_t index, ThreadId id, LockId lock, bool shared);
  void release(uint64_t index, ThreadId id, LockId lock, bool shared);
  void notify(uint64_t index, const Event& event);
  void fork(uint64_t index, const Event& event);
  void join(uint64_t index, const Event& event);
  void access_volatile(uint64_t index, const Event& event);
  void arrive_at_barrier(uint64_t index, const Event& event);
  void leave_barrier(Stretch& stretch, Generation& generation);

  // ---- condition 3 (condition3.cc)
  Section* make_section();
  void free_section(Section* section) { free_sections_.push_back(section); }
  const Stretch& end_of(const Section& section) const {
    return section.open ? *threads_[section.thread].current : *section.end;
  }
  void enqueue(Section* section);
  void enqueue_open(const Thread& thread);
  void run_queue();
  void order_after_earlier(Section& section);
  bool find_sources(const Section& section, const SectionList& earlier);
  void add_edges(const Section& section, const VectorClock& sources);
  void add_edges(const Section& section, const VectorClock& sources, const Thread& thread);
  static bool is_after_acquire(const Stretch& stretch, const Section& section);
  bool add_to(Stretch& stretch, const VectorClock& sources);

  // ---- what can no longer change (settle.cc)
  void force(Section& section);
  bool settled(const Stretch& stretch) const;
  void find_frontier();
  bool lower_frontier(ThreadId id);
  size_t settled_sections(const Thread& thread) const;
  void drop_settled(Thread& thread, const std::function<void(Stretch&)>& on_settled);
  template <typename Visit>
  static void for_each_incomplete(const Thread& thread, Visit visit);

  // ---- what can no longer matter (collect.cc)
  void collect(uint64_t index);
  void mark(const Point& point);
  void mark(const Conflicts& location);
  void mark_clock(ThreadId id, uint64_t clock);
  void mark_clocks(const Stretch& stretch);
  std::vector<ThreadId> threads_with_sections() const;
  void find_boundaries(uint64_t index);
  void find_known_to_all(std::vector<ThreadId> ids);
  void mark_synchronisation();
  void forget_sections();

  const MustBeforeOptions options_;
  StretchPool pool_;
  std::vector<Thread> threads_;
  std::vector<LockHistory> locks_;
  LargeTable<Conflicts> locations_;
  ReadLists reads_;
  tsl::robin_map<LocationId, Conflicts, IntegerHash> volatiles_;
  std::vector<std::shared_ptr<Generation>> barriers_;
  std::vector<Stretch*> generations_;  // listed ones of barriers
  std::vector<Clash> unordered_;       // reused

  std::vector<std::unique_ptr<Section>> sections_;
  std::vector<Section*> free_sections_;
  std::vector<Section*> queue_;
  struct Source {
    ThreadId thread;
    const PastSection* section;
  };
  std::vector<Source> sources_;  // of one section, reused

  // By thread, the index of its first acquire into which edges may still lead.
  std::vector<uint64_t> frontier_;
  std::vector<ThreadId> frontier_threads_;  // those that have one
  uint64_t next_settle_ = 0;
  uint64_t past_sections_ = 0;

  // While garbage is collected, by thread: sections before the boundary may be
  // forgotten, unless one of the old clocks tells them apart from later ones; and
  // up to where all other threads know it.
  std::vector<uint64_t> boundaries_;
  std::vector<std::vector<uint64_t>> old_clocks_;
  std::vector<uint64_t> known_to_all_;
  uint64_t fresh_past_sections_ = 0;  // since the last collection
  size_t kept_ = 0;                   // by it: stretches and past sections

  uint64_t forced_ = 0;
  uint64_t forgotten_ = 0;
};

}  // namespace foretrace::mb
