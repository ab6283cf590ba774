#include "reduce/reducer.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/sort_once.h"
#include "base/table.h"
#include "findings/schedule.h"

namespace foretrace {
namespace {

void sort_and_unique(Selection& selection) { sort_once(selection); }

bool opens(Op op) { return op == Op::acq || op == Op::racq || op == Op::beg; }
bool closes(Op op) { return op == Op::rel || op == Op::rrel || op == Op::end; }

// The events of one bracket, an acquire and its release, say: their places in a
// thread's list of events.
struct Bracket {
  size_t open;
  size_t close;
  size_t depth;
};

std::vector<Bracket> brackets_in(const Trace& trace, const Selection& events) {
  std::vector<Bracket> found;
  std::vector<size_t> open;
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& event = trace.events[events[i]];
    if (opens(event.op())) open.push_back(i);
    if (!closes(event.op())) continue;
    const auto match = std::find_if(open.rbegin(), open.rend(), [&](size_t place) {
      const Event& start = trace.events[events[place]];
      return start.object == event.object && space_of(start.op()) == space_of(event.op());
    });
    if (match == open.rend()) continue;
    found.push_back({*match, i, static_cast<size_t>(open.rend() - match) - 1});
    open.erase(std::next(match).base());
  }
  return found;
}

}  // namespace

Reducer::Reducer(const Trace& trace, const Finding& finding, const FindingOracle& oracle,
                 Options options)
    : trace_(trace), finding_(finding), oracle_(oracle), options_(std::move(options)) {}

Trace Reducer::run() {
  index_threads();
  slice();
  leave_out(threads());
  leave_out(sections());
  for (bool changed = true; changed && !stopped_;) {
    changed = leave_out(brackets());
    changed |= leave_out(single_events());
  }
  return std::move(small_);
}

void Reducer::index_threads() {
  for (uint32_t i = 0; i < trace_.events.size(); ++i) {
    const Event& event = trace_.events[i];
    if (event.op() != Op::skip) slot(by_thread_, event.thread).push_back(i);
  }
}

// ---- slices

void Reducer::slice() {
  for (size_t count = 8; count < trace_.events.size() && !stopped_; count *= 4) {
    if (take(last_events(count))) return;
    if (has_schedule(finding_) && take(last_events_of_schedule(count))) return;
    if (take(neighbourhood(count))) return;
  }
  Selection all(trace_.events.size());
  std::iota(all.begin(), all.end(), uint32_t{0});
  std::erase_if(all, [&](uint32_t i) { return trace_.events[i].op() == Op::skip; });
  small_ = subtrace(trace_, all, options_.well_formed);
  left_ = std::move(all);
}

// Of each of the finding's threads, so many events up to that of the finding.
Selection Reducer::last_events(size_t count) const {
  Selection selection;
  for (const FindingEvent& event : finding_.events) {
    const Selection& events = by_thread_[trace_.events[event.index].thread];
    const auto end = std::upper_bound(events.begin(), events.end(), event.index);
    const auto before = std::min<ptrdiff_t>(end - events.begin(), static_cast<ptrdiff_t>(count));
    selection.insert(selection.end(), end - before, end);
  }
  sort_and_unique(selection);
  return selection;
}

// Of each thread of the schedule, so many events up to its last one there.
Selection Reducer::last_events_of_schedule(size_t count) const {
  std::vector<std::optional<uint32_t>> last;
  for (const uint64_t index : schedule_of(finding_, trace_)) {
    slot(last, trace_.events[index].thread) = static_cast<uint32_t>(index);
  }
  Selection selection = last_events(count);
  for (ThreadId thread = 0; thread < last.size(); ++thread) {
    if (!last[thread]) continue;
    const Selection& events = by_thread_[thread];
    const auto end = std::upper_bound(events.begin(), events.end(), *last[thread]);
    const auto before = std::min<ptrdiff_t>(end - events.begin(), static_cast<ptrdiff_t>(count));
    selection.insert(selection.end(), end - before, end);
  }
  sort_and_unique(selection);
  return selection;
}

// Events of all threads that are near one of the finding, or follow it.
Selection Reducer::neighbourhood(size_t count) const {
  Selection selection;
  for (const FindingEvent& event : finding_.events) {
    const uint64_t first = event.index > count ? event.index - count : 0;
    const uint64_t end = std::min<uint64_t>(event.index + count + 1, trace_.events.size());
    for (uint64_t i = first; i < end; ++i) {
      if (trace_.events[i].op() != Op::skip) selection.push_back(static_cast<uint32_t>(i));
    }
  }
  sort_and_unique(selection);
  return selection;
}

// ---- what can be left out together

// All that a thread does, and what others do to it.
Reducer::Groups Reducer::threads() const {
  Groups groups;
  for (const uint32_t index : left_) {
    const Event& event = trace_.events[index];
    slot(groups, event.thread).push_back(index);
    if (space_of(event.op()) == Space::thread) slot(groups, event.object).push_back(index);
  }
  for (Selection& group : groups) sort_and_unique(group);
  std::erase_if(groups, [](const Selection& group) { return group.empty(); });
  return groups;
}

// Outermost critical sections and units, with what is in them.
Reducer::Groups Reducer::sections() const {
  Groups groups;
  for (const Selection& events : threads()) {
    for (const Bracket& bracket : brackets_in(trace_, events)) {
      if (bracket.depth > 0) continue;
      groups.emplace_back(events.begin() + static_cast<ptrdiff_t>(bracket.open),
                          events.begin() + static_cast<ptrdiff_t>(bracket.close) + 1);
    }
  }
  return groups;
}

Reducer::Groups Reducer::brackets() const {
  Groups groups;
  for (const Selection& events : threads()) {
    for (const Bracket& bracket : brackets_in(trace_, events)) {
      groups.push_back({events[bracket.open], events[bracket.close]});
    }
  }
  return groups;
}

Reducer::Groups Reducer::single_events() const {
  Groups groups;
  for (const uint32_t index : left_) groups.push_back({index});
  return groups;
}

// ---- delta debugging

bool Reducer::leave_out(Groups groups) {
  bool changed = false;
  for (size_t chunk = groups.size(); chunk > 0; chunk /= 2) {
    for (size_t start = 0; start < groups.size() && !stopped_;) {
      const size_t end = std::min(start + chunk, groups.size());
      Selection dropped;
      for (size_t i = start; i < end; ++i) {
        dropped.insert(dropped.end(), groups[i].begin(), groups[i].end());
      }
      sort_and_unique(dropped);
      Selection rest;
      std::set_difference(left_.begin(), left_.end(), dropped.begin(), dropped.end(),
                          std::back_inserter(rest));
      if (rest.size() < left_.size()) {  // else they went with others
        if (!take(std::move(rest))) {
          start = end;
          continue;
        }
        changed = true;
      }
      groups.erase(groups.begin() + static_cast<ptrdiff_t>(start),
                   groups.begin() + static_cast<ptrdiff_t>(end));
    }
  }
  return changed;
}

bool Reducer::take(Selection selection) {
  if (stopped_ || !options_.progress(left_.empty() ? trace_.events.size() : left_.size())) {
    stopped_ = true;
    return false;
  }
  Trace part = subtrace(trace_, selection, options_.well_formed);
  if (!oracle_.has(part, finding_)) return false;
  left_ = std::move(selection);
  small_ = std::move(part);
  return true;
}

}  // namespace foretrace
