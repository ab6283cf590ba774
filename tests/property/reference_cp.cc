#include "property/reference_cp.h"

#include <algorithm>
#include <optional>

namespace foretrace::testing {
namespace {

bool writes_volatile(Op op) { return op == Op::vwr || op == Op::vrmw; }
bool reads_volatile(Op op) { return op == Op::vrd || op == Op::vrmw; }
bool notifies(Op op) { return op == Op::notify || op == Op::notifyall; }

void add_hard_edges_of_threads(const Trace& trace, Relation& cp) {
  for (size_t b = 0; b < trace.events.size(); ++b) {
    const Event& later = trace.events[b];
    if (later.op() == Op::skip) continue;
    for (size_t a = 0; a < b; ++a) {
      const Event& earlier = trace.events[a];
      const bool starts = earlier.op() == Op::fork && earlier.object == later.thread;
      const bool ends = later.op() == Op::join && later.object == earlier.thread;
      const bool both =
          earlier.op() == Op::fork && later.op() == Op::join && earlier.object == later.object;
      if (earlier.op() != Op::skip && (starts || ends || both)) cp[a][b] = true;
    }
  }
}

void add_hard_edges_of_volatiles(const Trace& trace, Relation& cp) {
  for (size_t b = 0; b < trace.events.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      const Event& earlier = trace.events[a];
      const Event& later = trace.events[b];
      if (writes_volatile(earlier.op()) && reads_volatile(later.op()) &&
          earlier.object == later.object && earlier.thread != later.thread) {
        cp[a][b] = true;
      }
    }
  }
}

void add_hard_edges_of_waits(const Trace& trace, Relation& cp) {
  for (size_t wait = 0; wait < trace.events.size(); ++wait) {
    if (trace.events[wait].op() != Op::wait) continue;
    const std::optional<size_t> resume = next_of_thread(trace, wait);
    for (size_t a = 0; resume && a < *resume; ++a) {
      const Event& earlier = trace.events[a];
      if (notifies(earlier.op()) && earlier.object == trace.events[wait].object &&
          earlier.thread != trace.events[wait].thread) {
        cp[a][*resume] = true;
      }
    }
  }
}

// A generation is the arrivals up to the first departure of one of them.
void add_hard_edges_of_barriers(const Trace& trace, Relation& cp) {
  std::vector<bool> done(trace.events.size());
  for (size_t first = 0; first < trace.events.size(); ++first) {
    if (trace.events[first].op() != Op::barrier || done[first]) continue;
    std::vector<size_t> arrivals;
    size_t closes = trace.events.size();
    for (size_t i = first; i < closes; ++i) {
      const Event& event = trace.events[i];
      if (event.op() != Op::barrier || event.object != trace.events[first].object) continue;
      arrivals.push_back(i);
      done[i] = true;
      closes = std::min(closes, next_of_thread(trace, i).value_or(closes));
    }
    for (const size_t leaver : arrivals) {
      const std::optional<size_t> leaves = next_of_thread(trace, leaver);
      for (const size_t arrival : arrivals) {
        if (leaves && arrival != leaver) cp[arrival][*leaves] = true;
      }
    }
  }
}

// Rule (a): accesses inside the two sections clash.
bool contain_clash(const Trace& trace, const ReferenceSection& k, const ReferenceSection& h) {
  const auto inside = [&](const ReferenceSection& section, size_t i) {
    return trace.events[i].thread == trace.events[section.acquire].thread;
  };
  for (size_t a = k.acquire; a <= k.release; ++a) {
    for (size_t b = h.acquire; b <= h.release; ++b) {
      if (inside(k, a) && inside(h, b) && clash(trace.events[a], trace.events[b])) return true;
    }
  }
  return false;
}

// Whether something was new.
bool apply_rules_a_and_b(const Trace& trace, const std::vector<ReferenceSection>& sections,
                         Relation& cp) {
  bool changed = false;
  for (const ReferenceSection& k : sections) {
    for (const ReferenceSection& h : sections) {
      if (!k.closed || k.lock != h.lock || k.release > h.acquire || &k == &h) continue;
      if (k.shared && h.shared) continue;
      if (cp[k.release][h.acquire]) continue;
      if (cp[k.acquire][h.release] || contain_clash(trace, k, h)) {
        cp[k.release][h.acquire] = true;
        changed = true;
      }
    }
  }
  return changed;
}

Relation composition(const Relation& first, const Relation& second) {
  const size_t n = first.size();
  Relation result(n, std::vector<bool>(n));
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < n; ++k) {
      if (!first[i][k]) continue;
      for (size_t j = 0; j < n; ++j) {
        if (second[k][j]) result[i][j] = true;
      }
    }
  }
  return result;
}

}  // namespace

std::vector<ReferenceSection> reference_sections(const Trace& trace) {
  std::vector<ReferenceSection> sections;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    std::optional<size_t> acquire;
    if (event.op() == Op::acq || event.op() == Op::racq) acquire = i;
    if (event.op() == Op::wait) {
      acquire = next_of_thread(trace, i);
      // An explicit re-acquire is a section of its own.
      if (acquire && trace.events[*acquire].op() == Op::acq &&
          trace.events[*acquire].object == event.object) {
        acquire.reset();
      }
    }
    if (!acquire) continue;
    ReferenceSection section = {event.object, event.op() == Op::racq, *acquire, *acquire, false};
    for (size_t end = *acquire; end < trace.events.size() && !section.closed; ++end) {
      const Event& later = trace.events[end];
      if (later.thread != event.thread || later.op() == Op::skip) continue;
      section.release = end;
      section.closed = later.object == event.object &&
                       (later.op() == Op::rel || later.op() == Op::rrel || later.op() == Op::wait);
    }
    sections.push_back(section);
  }
  return sections;
}

Relation reference_causally_precedes(const Trace& trace) {
  const size_t n = trace.events.size();
  const std::vector<ReferenceSection> sections = reference_sections(trace);
  Relation before_or_same = reference_happens_before(trace);
  for (size_t i = 0; i < n; ++i) before_or_same[i][i] = true;
  Relation cp(n, std::vector<bool>(n));
  add_hard_edges_of_threads(trace, cp);
  add_hard_edges_of_volatiles(trace, cp);
  add_hard_edges_of_waits(trace, cp);
  add_hard_edges_of_barriers(trace, cp);
  do {  // rule (c)
    cp = composition(composition(before_or_same, cp), before_or_same);
  } while (apply_rules_a_and_b(trace, sections, cp));
  return cp;
}

}  // namespace foretrace::testing
