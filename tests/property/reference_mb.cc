#include "property/reference_mb.h"

#include <map>
#include <optional>

#include "property/reference_order.h"

namespace foretrace::testing {
namespace {

bool is_volatile(Op op) { return op == Op::vrd || op == Op::vwr || op == Op::vrmw; }
bool is_notify(Op op) { return op == Op::notify || op == Op::notifyall; }

// The index of the thread's first event after `index`, if it has one.
std::optional<size_t> next_of_thread(const Trace& trace, size_t index, ThreadId thread) {
  for (size_t i = index + 1; i < trace.events.size(); ++i) {
    if (trace.events[i].thread == thread && trace.events[i].op() != Op::skip) return i;
  }
  return std::nullopt;
}

}  // namespace

ReferenceMustBefore::ReferenceMustBefore(const Trace& trace)
    : trace_(trace),
      rows_(2 * trace.events.size(), std::vector<uint64_t>(2 * trace.events.size() / 64 + 1)) {
  add_program_order();
  add_clashes();
  add_threads();
  add_waits();
  add_barriers();
  find_sections();
  do {
    close();
  } while (apply_condition_3());
}

void ReferenceMustBefore::add_program_order() {
  for (size_t i = 0; i < trace_.events.size(); ++i) {
    if (trace_.events[i].op() == Op::skip) continue;
    add(entry(i), event(i));
    if (const auto next = next_of_thread(trace_, i, trace_.events[i].thread)) {
      add(event(i), entry(*next));
    }
  }
}

void ReferenceMustBefore::add_clashes() {
  for (size_t b = 0; b < trace_.events.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      const Event& earlier = trace_.events[a];
      const Event& later = trace_.events[b];
      const bool volatile_clash = is_volatile(earlier.op()) && is_volatile(later.op()) &&
                                  earlier.object == later.object &&
                                  (earlier.op() != Op::vrd || later.op() != Op::vrd);
      if (volatile_clash || clash(earlier, later)) add(event(a), event(b));
    }
  }
}

void ReferenceMustBefore::add_threads() {
  for (size_t a = 0; a < trace_.events.size(); ++a) {
    const Event& fork = trace_.events[a];
    if (fork.op() == Op::fork) {
      if (const auto first = next_of_thread(trace_, a, fork.object)) add(event(a), entry(*first));
    }
    for (size_t b = a + 1; b < trace_.events.size(); ++b) {
      const Event& join = trace_.events[b];
      if (join.op() != Op::join || fork.op() == Op::skip) continue;
      const bool of_child = fork.thread == join.object;
      const bool forks_child = fork.op() == Op::fork && fork.object == join.object;
      if (of_child || forks_child) add(event(a), event(b));
    }
  }
}

void ReferenceMustBefore::add_waits() {
  for (size_t b = 0; b < trace_.events.size(); ++b) {
    const Event& later = trace_.events[b];
    const auto resumes =
        later.op() == Op::wait ? next_of_thread(trace_, b, later.thread) : std::optional<size_t>();
    for (size_t a = 0; a < trace_.events.size(); ++a) {
      const Event& earlier = trace_.events[a];
      if (!is_notify(earlier.op()) || earlier.object != later.object) continue;
      if (is_notify(later.op()) && a < b) add(event(a), event(b));
      if (resumes && a < *resumes) add(event(a), entry(*resumes));
    }
  }
}

// All arrivals of one generation are before what each of its threads does next.
// A generation is the arrivals up to the first departure of one of them.
void ReferenceMustBefore::add_barriers() {
  std::map<uint32_t, std::vector<size_t>> arrivals;  // of the open generations
  std::map<size_t, std::vector<size_t>> generation_of;
  std::map<ThreadId, size_t> paused;  // by thread, the arrival that it pauses at
  for (size_t i = 0; i < trace_.events.size(); ++i) {
    const Event& now = trace_.events[i];
    if (now.op() == Op::skip) continue;
    if (const auto arrival = paused.find(now.thread); arrival != paused.end()) {
      const size_t arrived = arrival->second;
      paused.erase(arrival);
      if (!generation_of.contains(arrived)) {  // the first to go on
        std::vector<size_t>& open = arrivals[trace_.events[arrived].object];
        for (const size_t one : open) generation_of[one] = open;
        open.clear();
      }
      for (const size_t one : generation_of[arrived]) add(event(one), entry(i));
    }
    if (now.op() == Op::barrier) {
      arrivals[now.object].push_back(i);
      paused[now.thread] = i;
    }
  }
}

void ReferenceMustBefore::find_sections() {
  std::vector<Section> open;
  std::map<ThreadId, size_t> last;
  std::map<ThreadId, LockId> waits_for;
  for (size_t i = 0; i < trace_.events.size(); ++i) {
    const Event& now = trace_.events[i];
    if (now.op() == Op::skip) continue;
    last[now.thread] = i;
    const bool acquires = now.op() == Op::acq || now.op() == Op::racq;
    if (const auto wait = waits_for.find(now.thread); wait != waits_for.end()) {
      if (now.op() != Op::acq || now.object != wait->second) {
        open.push_back({wait->second, now.thread, false, entry(i), 0});
      }
      waits_for.erase(wait);
    }
    if (acquires) open.push_back({now.object, now.thread, now.op() == Op::racq, event(i), 0});
    if (now.op() == Op::rel || now.op() == Op::rrel || now.op() == Op::wait) {
      std::erase_if(open, [&](Section& section) {
        if (section.lock != now.object || section.thread != now.thread) return false;
        section.release = event(i);
        sections_.push_back(section);
        return true;
      });
    }
    if (now.op() == Op::wait) waits_for[now.thread] = now.object;
  }
  // A section that stays open ends after its thread's last event.
  for (Section& section : open) {
    section.release = event(last[section.thread]);
    sections_.push_back(section);
  }
}

// Warshall's algorithm, a row at a time.
void ReferenceMustBefore::close() {
  for (size_t k = 0; k < rows_.size(); ++k) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!has(i, k)) continue;
      for (size_t word = 0; word < rows_[i].size(); ++word) rows_[i][word] |= rows_[k][word];
    }
  }
}

bool ReferenceMustBefore::apply_condition_3() {
  bool changed = false;
  for (const Section& k : sections_) {
    for (const Section& h : sections_) {
      if (&k == &h || k.lock != h.lock || (k.shared && h.shared)) continue;
      if (!has(k.acquire, h.release) || has(k.release, h.acquire)) continue;
      if (k.thread == h.thread) continue;  // program order, whichever comes first
      add(k.release, h.acquire);
      changed = true;
    }
  }
  return changed;
}

std::set<std::pair<uint64_t, uint64_t>> ReferenceMustBefore::races() const {
  std::set<std::pair<uint64_t, uint64_t>> races;
  for (size_t b = 0; b < trace_.events.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      if (clash(trace_.events[a], trace_.events[b]) && !before_entry(a, b)) races.emplace(a, b);
    }
  }
  return races;
}

}  // namespace foretrace::testing
