#include "property/reference_order.h"

#include <algorithm>
#include <optional>

namespace foretrace::testing {
namespace {

bool releases_exclusively(Op op) { return op == Op::rel || op == Op::wait; }

// Adds the edges into event `b`, which takes lock `lock` (for reading, if
// `shared`), from what released it before.
void add_lock_edges(const Trace& trace, Relation& before, size_t b, LockId lock, bool shared) {
  for (size_t a = 0; a < b; ++a) {
    const Event& event = trace.events[a];
    if (space_of(event.op()) != Space::lock || event.object != lock) continue;
    if (releases_exclusively(event.op()) || (event.op() == Op::rrel && !shared))
      before[a][b] = true;
  }
}

void add_wait_edges(const Trace& trace, Relation& before, size_t wait) {
  const std::optional<size_t> resume = next_of_thread(trace, wait);
  if (!resume) return;
  const LockId lock = trace.events[wait].object;
  add_lock_edges(trace, before, *resume, lock, false);
  for (size_t a = 0; a < *resume; ++a) {
    const Event& event = trace.events[a];
    if ((event.op() == Op::notify || event.op() == Op::notifyall) && event.object == lock) {
      before[a][*resume] = true;
    }
  }
}

}  // namespace

std::optional<size_t> next_of_thread(const Trace& trace, size_t index) {
  for (size_t i = index + 1; i < trace.events.size(); ++i) {
    if (trace.events[i].thread == trace.events[index].thread && trace.events[i].op() != Op::skip) {
      return i;
    }
  }
  return std::nullopt;
}

void close_transitively(Relation& relation) {
  // Edges go forward in the trace, so one sweep from the back is enough; but
  // this is the reference: Warshall's algorithm assumes nothing.
  const size_t n = relation.size();
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      if (!relation[i][k]) continue;
      for (size_t j = 0; j < n; ++j) {
        if (relation[k][j]) relation[i][j] = true;
      }
    }
  }
}

Relation program_order(const Trace& trace) {
  const size_t n = trace.events.size();
  Relation before(n, std::vector<bool>(n));
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = a + 1; b < n; ++b) {
      before[a][b] = trace.events[a].thread == trace.events[b].thread;
    }
  }
  return before;
}

// All arrivals of one generation are before what each of its threads does next.
// A generation is the arrivals up to the first departure of one of them.
void add_barrier_edges(const Trace& trace, Relation& before) {
  std::vector<bool> done(trace.events.size());
  for (size_t first = 0; first < trace.events.size(); ++first) {
    const Event& opener = trace.events[first];
    if (opener.op() != Op::barrier || done[first]) continue;
    std::vector<size_t> arrivals;
    size_t closes = trace.events.size();
    for (size_t i = first; i < closes; ++i) {
      const Event& event = trace.events[i];
      if (event.op() != Op::barrier || event.object != opener.object || done[i]) continue;
      arrivals.push_back(i);
      done[i] = true;
      closes = std::min(closes, next_of_thread(trace, i).value_or(closes));
    }
    for (const size_t leaver : arrivals) {
      const std::optional<size_t> leaves = next_of_thread(trace, leaver);
      if (!leaves) continue;
      for (const size_t arrival : arrivals) before[arrival][*leaves] = true;
    }
  }
}

Relation reference_happens_before(const Trace& trace) {
  Relation before = program_order(trace);
  const size_t n = trace.events.size();
  for (size_t b = 0; b < n; ++b) {
    const Event& later = trace.events[b];
    if (later.op() == Op::acq) add_lock_edges(trace, before, b, later.object, false);
    if (later.op() == Op::racq) add_lock_edges(trace, before, b, later.object, true);
    if (later.op() == Op::wait) add_wait_edges(trace, before, b);
    for (size_t a = 0; a < b; ++a) {
      const Event& earlier = trace.events[a];
      if (earlier.op() == Op::fork && earlier.object == later.thread) before[a][b] = true;
      if (later.op() == Op::join && later.object == earlier.thread) before[a][b] = true;
      // A thread without events still starts and ends.
      if (earlier.op() == Op::fork && later.op() == Op::join && earlier.object == later.object) {
        before[a][b] = true;
      }
      if ((earlier.op() == Op::vwr || earlier.op() == Op::vrmw) &&
          (later.op() == Op::vrd || later.op() == Op::vrmw) && earlier.object == later.object) {
        before[a][b] = true;
      }
    }
  }
  add_barrier_edges(trace, before);
  // An Op::skip means nothing, so it orders nothing; it is in program order
  // with its thread, which adds no edge between other events.
  close_transitively(before);
  return before;
}

ReferenceHeld reference_held(const Trace& trace) {
  struct Thread {
    std::vector<LockId> exclusive;
    std::vector<LockId> shared;
    std::optional<LockId> waits_for;
  };
  std::vector<Thread> threads(trace.symbols->names(Space::thread).size());
  ReferenceHeld held;
  for (const Event& event : trace.events) {
    Thread& thread = threads[event.thread];
    if (event.op() != Op::skip && thread.waits_for) {
      if (event.op() != Op::acq || event.object != *thread.waits_for) {
        thread.exclusive.push_back(*thread.waits_for);
      }
      thread.waits_for.reset();
    }
    if (event.op() == Op::acq) thread.exclusive.push_back(event.object);
    if (event.op() == Op::racq) thread.shared.push_back(event.object);
    held.exclusive.push_back(thread.exclusive);
    held.shared.push_back(thread.shared);
    if (event.op() == Op::rel || event.op() == Op::wait) std::erase(thread.exclusive, event.object);
    if (event.op() == Op::rrel) std::erase(thread.shared, event.object);
    if (event.op() == Op::wait) thread.waits_for = event.object;
  }
  return held;
}

bool clash(const Event& a, const Event& b) {
  const auto is_plain = [](const Event& event) {
    return event.op() == Op::rd || event.op() == Op::wr;
  };
  const auto only_reads = [](const Event& event) {
    return event.op() == Op::rd || event.op() == Op::vrd || event.op() == Op::ard;
  };
  return space_of(a.op()) == Space::location && space_of(b.op()) == Space::location &&
         a.object == b.object && a.thread != b.thread && (is_plain(a) || is_plain(b)) &&
         !(only_reads(a) && only_reads(b));
}

}  // namespace foretrace::testing
