#include "property/reference_sidetrack.h"

#include <algorithm>
#include <map>

namespace foretrace::testing {
namespace {

// From what a thread has learnt when it is about to do an event, before the
// event itself, or the lock that it takes back, tells it more: its previous
// event, its fork, notifies for its wait, arrivals at its barrier.
Relation entering_edges(const Trace& trace) {
  const size_t n = trace.events.size();
  Relation enters(n, std::vector<bool>(n));
  add_barrier_edges(trace, enters);
  std::map<ThreadId, size_t> previous;
  std::map<ThreadId, size_t> fork;
  for (size_t b = 0; b < n; ++b) {
    const Event& event = trace.events[b];
    if (event.op() == Op::skip) continue;
    if (fork.contains(event.thread)) enters[fork[event.thread]][b] = true;
    if (event.op() == Op::fork) fork[event.object] = b;
    if (previous.contains(event.thread)) {
      const size_t p = previous[event.thread];
      enters[p][b] = true;
      for (size_t a = 0; a < b && trace.events[p].op() == Op::wait; ++a) {
        const Event& other = trace.events[a];
        const bool notifies = other.op() == Op::notify || other.op() == Op::notifyall;
        if (notifies && other.object == trace.events[p].object) enters[a][b] = true;
      }
    }
    previous[event.thread] = b;
  }
  return enters;
}

bool share_a_unit(const ReferenceAcquire& a, const ReferenceAcquire& b) {
  return !a.units.empty() && !b.units.empty() && a.units[0] == b.units[0];
}

}  // namespace

std::vector<ReferenceAcquire> reference_acquires(const Trace& trace) {
  std::vector<ReferenceAcquire> acquires;
  std::map<ThreadId, std::vector<size_t>> units;
  std::map<ThreadId, LockId> waits;
  const auto open_section = [&](const Event& event, LockId lock) -> ReferenceAcquire& {
    return *std::find_if(acquires.rbegin(), acquires.rend(), [&](const ReferenceAcquire& a) {
      return a.thread == event.thread && a.lock == lock && !a.release;
    });
  };
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.op() == Op::skip) continue;
    const ThreadId thread = event.thread;
    std::optional<LockId> regained;
    if (waits.contains(thread)) {
      regained = waits[thread];
      acquires.push_back({i, thread, *regained, false, units[thread], {}, {}});
      waits.erase(thread);
    }
    const bool reacquires = event.op() == Op::acq && regained == event.object;
    if (event.op() == Op::beg) units[thread].push_back(i);
    if (event.op() == Op::end) units[thread].pop_back();
    if ((event.op() == Op::acq && !reacquires) || event.op() == Op::racq) {
      const bool shared = event.op() == Op::racq;
      acquires.push_back({i, thread, event.object, shared, units[thread], {}, regained});
    }
    if (event.op() == Op::rel || event.op() == Op::rrel || event.op() == Op::wait) {
      open_section(event, event.object).release = i;
    }
    if (event.op() == Op::wait) waits[thread] = event.object;
  }
  return acquires;
}

ReferenceSideTrack::ReferenceSideTrack(const Trace& trace)
    : trace_(trace),
      happens_before_(reference_happens_before(trace)),
      enters_(entering_edges(trace)),
      acquires_(reference_acquires(trace)) {
  for (size_t k = 0; k < acquires_.size(); ++k) {
    check_before(k);
    check_in(k);
    check_after(k);
  }
}

bool ReferenceSideTrack::known(size_t a, const ReferenceAcquire& acquire) const {
  for (size_t c = 0; c < acquire.index; ++c) {
    const Event& event = trace_.events[c];
    const bool released = event.op() == Op::rel || event.op() == Op::rrel || event.op() == Op::wait;
    const bool through_regained = acquire.regained && released && event.object == *acquire.regained;
    if (!enters_[c][acquire.index] && !through_regained) continue;
    if (a == c || happens_before_[a][c]) return true;
  }
  return false;
}

// The last acquire for writing before acquire number `before`: A of the paper.
std::optional<size_t> ReferenceSideTrack::last_exclusive(LockId lock, size_t before) const {
  for (size_t k = before; k-- > 0;) {
    if (acquires_[k].lock == lock && !acquires_[k].shared) return k;
  }
  return std::nullopt;
}

// Where the window begins that acquire k ends, if it does: the thread's last
// acquire of that lock, if some unit contains both.
std::optional<size_t> ReferenceSideTrack::window_begin(size_t k) const {
  for (size_t f = k; f-- > 0;) {
    const ReferenceAcquire& first = acquires_[f];
    if (first.lock != acquires_[k].lock || first.thread != acquires_[k].thread) continue;
    return share_a_unit(first, acquires_[k]) ? std::optional(f) : std::nullopt;
  }
  return std::nullopt;
}

bool ReferenceSideTrack::has_culprit_before(size_t first, size_t second) const {
  const ReferenceAcquire& f = acquires_[first];
  const std::optional<size_t> last = last_exclusive(f.lock, first);
  if (last && !known(acquires_[*last].index, f)) return true;
  if (f.shared || acquires_[second].shared) return false;
  return std::any_of(acquires_.begin(), acquires_.begin() + static_cast<std::ptrdiff_t>(first),
                     [&](const ReferenceAcquire& a) {
                       return a.lock == f.lock && a.shared && !known(a.index, f);
                     });
}

// For each unit, from the inside: the first acquire of the lock in it.
void ReferenceSideTrack::check_before(size_t k) {
  const ReferenceAcquire& second = acquires_[k];
  for (auto unit = second.units.rbegin(); unit != second.units.rend(); ++unit) {
    for (size_t f = 0; f < k; ++f) {
      const ReferenceAcquire& first = acquires_[f];
      const bool in_unit =
          std::find(first.units.begin(), first.units.end(), *unit) != first.units.end();
      if (first.lock != second.lock || first.thread != second.thread || !in_unit) continue;
      if (has_culprit_before(f, k)) {
        errors_.emplace("before", second.lock, first.index, second.index);
        return;
      }
      break;  // only the first one counts
    }
  }
}

void ReferenceSideTrack::check_in(size_t k) {
  const std::optional<size_t> f = window_begin(k);
  if (!f) return;
  const ReferenceAcquire& first = acquires_[*f];
  const ReferenceAcquire& second = acquires_[k];
  const auto released_unknown = [&](const ReferenceAcquire& a) {
    return a.release && *a.release < second.index && !known(*a.release, second);
  };
  const std::optional<size_t> last = last_exclusive(second.lock, k);
  bool error = last && released_unknown(acquires_[*last]);
  for (const ReferenceAcquire& a : acquires_) {
    if (first.shared || second.shared) break;
    error |= a.lock == second.lock && a.shared && a.index < second.index && released_unknown(a);
  }
  if (error) errors_.emplace("in", second.lock, first.index, second.index);
}

void ReferenceSideTrack::check_after(size_t k) {
  const ReferenceAcquire& culprit = acquires_[k];
  for (size_t s = 0; s < k; ++s) {
    if (acquires_[s].lock != culprit.lock) continue;
    const std::optional<size_t> f = window_begin(s);
    if (!f || known(acquires_[s].index, culprit)) continue;
    if (culprit.shared && (acquires_[*f].shared || acquires_[s].shared)) continue;
    errors_.emplace("after", culprit.lock, culprit.index, culprit.index);
  }
}

}  // namespace foretrace::testing
