#include "analyses/cp/causal_order.h"

#include <algorithm>

#include "base/table.h"

namespace foretrace::cp {
CausalOrder::CausalOrder(const BaseEdges& edges)
    : edges_(edges), window_(0), is_source_(edges.last.size()) {
  for (const SectionId source : edges.last) is_source_[source] = true;
  for (const BaseEdges::FromReader& edge : edges.from_readers) is_source_[edge.source] = true;
}

VectorClock& CausalOrder::causes(ThreadId thread) { return slot(causes_, thread); }
CausalOrder::Lock& CausalOrder::lock(LockId id) { return slot(locks_, id); }

SectionQueue& CausalOrder::past_sections(Lock& lock, const Section& section, ThreadId thread) {
  if (!section.shared) return lock.writers;
  const auto place =
      std::lower_bound(lock.readers.begin(), lock.readers.end(), thread,
                       [](const ReaderQueue& queue, ThreadId id) { return queue.thread < id; });
  if (place != lock.readers.end() && place->thread == thread) return place->past;
  return lock.readers.insert(place, ReaderQueue{thread, {}})->past;
}

void CausalOrder::resume(const Event& event) {
  order_.resume(event.thread);
  hard_.resume(event.thread, causes(event.thread));
  if (const std::optional<Section> section = open_.resume(event)) begin(event.thread, *section);
}

void CausalOrder::advance(const Event& event) {
  const ThreadId self = event.thread;
  switch (event.op()) {
    case Op::acq:
    case Op::racq:
      order_.advance(event);
      return begin(self, open_.begin(event));
    case Op::wait:
      hard_.wait(event.object, self);
      [[fallthrough]];
    case Op::rel:
    case Op::rrel:
      end(self, open_.end(event));
      break;
    case Op::fork:
      causes(event.object).join(order_.clock(self));
      break;
    case Op::join:
      causes(self).join(order_.clock(event.object));
      break;
    case Op::notify:
    case Op::notifyall:
      hard_.notify(event.object, self, order_.clock(self));
      break;
    case Op::vrd:
      hard_.read(event.object, self, causes(self));
      break;
    case Op::vwr:
      hard_.write(event.object, self, order_.clock(self));
      break;
    case Op::vrmw:
      for (const Op op : {Op::vrd, Op::vwr}) advance(make_event(self, op, event.object));
      return;
    case Op::barrier:
      hard_.arrive(event.object, self, order_.clock(self));
      break;
    default:
      return;
  }
  order_.advance(event);
}

void CausalOrder::begin(ThreadId thread, const Section& section) {
  Lock& lock = this->lock(section.lock);
  VectorClock& causes = this->causes(thread);
  causes.join(lock.causes);
  if (!section.shared) causes.join(lock.reader_causes);
  apply_edges(section, lock, causes);
  SectionQueue& past = past_sections(lock, section, thread);
  past.forget(section.id > window_ ? section.id - window_ : kNoSection);
  if (is_source_.empty() || is_source_[section.id]) past.push(section.id, order_.epoch(thread));
}

void CausalOrder::apply_edges(const Section& section, Lock& lock, VectorClock& causes) {
  const auto apply = [&](SectionQueue& past, SectionId source) {
    const PastSection* const found = past.up_to(source);
    if (found == nullptr) return;  // an earlier section had an edge from it
    causes.join(found->clock);
    if (!section.shared) past.add_target(found, section.id);
  };
  apply(lock.writers, edges_.last[section.id]);
  const std::vector<BaseEdges::FromReader>& edges = edges_.from_readers;
  for (; next_from_reader_ < edges.size(); ++next_from_reader_) {
    const BaseEdges::FromReader& edge = edges[next_from_reader_];
    if (edge.target != section.id) break;
    apply(past_sections(lock, {edge.source, section.lock, true}, edge.thread), edge.source);
  }
}

void CausalOrder::end(ThreadId thread, const Section& section) {
  Lock& lock = this->lock(section.lock);
  if (section.shared) {
    lock.reader_causes.join(causes(thread));
  } else {
    // The holder has learnt what readers knew, so it replaces both.
    lock.causes = causes(thread);
    lock.reader_causes = VectorClock();
  }
  PastSection* const past = past_sections(lock, section, thread).back();
  if (past != nullptr && past->id == section.id) past->clock = order_.clock(thread);
}

}  // namespace foretrace::cp
