// What every correct reordering that reaches the goal has in common.
#include <algorithm>

#include "base/sort_once.h"
#include "certify/search.h"

namespace foretrace {
namespace {

// Steps times threads of a set that is still put into an order: 1 GB.
constexpr uint64_t kLargestOrder = uint64_t{1} << 28;

}  // namespace

Search::Outcome Search::build_order() {
  uint64_t steps = 0;
  uint64_t width = 0;
  for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
    steps += lengths_[thread] - begins_[thread];
    width += lengths_[thread] > begins_[thread] ? 1 : 0;
  }
  if (steps * width > kLargestOrder) {
    spent_ = budget_ + 1;
    return Outcome::good;  // solve() sees that it is spent
  }
  order_.reset(begins_, lengths_);
  reads_.clear();
  locks_.clear();
  for (const ThreadId thread : order_.threads()) order_thread(thread);
  for (const uint64_t index : goal_.next) {  // may come next only if it has heard its notifies
    const Step step = model_.step_of(index);
    for (const Model::Need& need : model_.needs(step.thread, step.place, step.place + 1)) {
      order_heard(step.thread, need);
    }
  }
  sort_once(locks_);
  for (const OrderEdge& edge : edges_) order_.add(edge);
  const bool acyclic = order_.close();
  spend();
  return acyclic ? Outcome::good : Outcome::bad;
}

void Search::order_thread(ThreadId thread) {
  for (const Model::Need& need : model_.needs(thread, begins_[thread], lengths_[thread])) {
    order_.add({need.step, {thread, need.place}});
    order_heard(thread, need);
  }
  for (uint32_t place = begins_[thread]; place < lengths_[thread]; ++place) {
    const Step step = {thread, place};
    const Model::Node& node = model_.node(step);
    if (node.kind == Model::Kind::acquire) locks_.push_back(node.object);
    if (node.kind == Model::Kind::read || node.kind == Model::Kind::read_write) {
      const Step writer = reads_from_.writer_of(step);
      if (writer != kNoStep && writer.thread != thread) order_.add({writer, step});
      if (others_write(step)) reads_.push_back(step);
    }
  }
}

// A notify that ends a wait comes behind the wait.
void Search::order_heard(ThreadId thread, const Model::Need& need) {
  if (need.heard && !reads_from_.is_past(need.step)) {
    order_.add({{thread, need.place - 1}, need.step});
  }
}

// Else program order says it all.
bool Search::others_write(Step read) const {
  const std::vector<Model::ThreadWrites>& writes = model_.writes(model_.node(read).object);
  return std::any_of(writes.begin(), writes.end(), [&](const Model::ThreadWrites& one) {
    return one.thread != read.thread || read == reads_from_.redirected();
  });
}

Search::Outcome Search::saturate() {
  while (spent_ <= budget_) {
    bool changed = false;
    for (auto rule : {&Search::saturate_reads, &Search::saturate_locks}) {
      const Outcome outcome = (this->*rule)(changed);
      if (outcome != Outcome::good) return outcome;
    }
    if (!changed) return Outcome::good;
    if (!order_.close()) return Outcome::bad;
    spend();
  }
  return Outcome::good;  // solve() sees that the budget is spent
}

// Adds an edge that must hold, unless it is known.
Search::Outcome Search::force(const OrderEdge& edge, bool& changed) {
  if (!order_.contains(edge.from)) {
    // A section must end, but its end is not in the set yet.
    edges_.push_back(edge);
    return Outcome::grown;
  }
  if (order_.ordered(edge.from, edge.to)) return Outcome::good;
  if (edge.from == edge.to || order_.ordered(edge.to, edge.from)) return Outcome::bad;
  order_.add(edge);
  changed = true;
  return Outcome::good;
}

Search::Outcome Search::saturate_reads(bool& changed) {
  for (const Step& read : reads_) {
    const Outcome outcome = saturate_read(read, changed);
    if (outcome != Outcome::good) return outcome;
  }
  return Outcome::good;
}

// Whether the step comes after one of a past that is ignored, as far as that is seen
// without a look at the past: the step, or one of the window that comes before it,
// is of the same thread or comes after one that needs it.
bool Search::follows_past(Step step, Step past) const {
  const Step redirected = reads_from_.redirected();
  const auto knows = [&](ThreadId thread, uint32_t length) {
    if (thread == past.thread) return true;
    // The redirected read, the last of its thread, does not need what it saw.
    if (thread == redirected.thread) length = std::min(length, redirected.place);
    const std::vector<Model::ThreadNeeds>& needs = model_.needs_of_threads(thread);
    return std::any_of(needs.begin(), needs.end(), [&](const Model::ThreadNeeds& one) {
      return one.thread == past.thread && one.of_first(length) > past.place;
    });
  };
  if (knows(step.thread, step.place + 1)) return true;
  return std::any_of(order_.threads().begin(), order_.threads().end(), [&](ThreadId thread) {
    const uint32_t before = order_.before(step, thread);
    return thread != step.thread && before > order_.begin(thread) && knows(thread, before);
  });
}

// The read sees a write of a past that is ignored. Writes that come after that one
// come after the read.
Search::Outcome Search::saturate_read_of_past(Step read, Step writer, bool& changed) {
  for (const Model::ThreadWrites& writes : model_.writes(model_.node(read).object)) {
    const ThreadId thread = writes.thread;
    const auto end =
        std::lower_bound(writes.places.begin(), writes.places.end(), order_.length(thread));
    const auto first = std::lower_bound(writes.places.begin(), end, order_.begin(thread));
    const auto after = std::partition_point(
        first, end, [&](uint32_t place) { return !follows_past({thread, place}, writer); });
    if (after == end || Step{thread, *after} == read) continue;
    const Outcome outcome = force({read, {thread, *after}}, changed);
    if (outcome != Outcome::good) return outcome;
  }
  return Outcome::good;
}

// No other write comes between a read and the write that it reads from: one that
// is before the read is before that write, one that is after that write is after
// the read. It is enough to look at the nearest of each thread.
Search::Outcome Search::saturate_read(Step read, bool& changed) {
  const Step writer = reads_from_.writer_in_window(read);
  if (const Step seen = reads_from_.writer_of(read);
      window_.past == Window::Past::ignored && seen != kNoStep && reads_from_.is_past(seen)) {
    return saturate_read_of_past(read, seen, changed);
  }
  for (const Model::ThreadWrites& writes : model_.writes(model_.node(read).object)) {
    const ThreadId thread = writes.thread;
    const auto in_set =
        std::lower_bound(writes.places.begin(), writes.places.end(), order_.length(thread));
    const auto first = std::lower_bound(writes.places.begin(), in_set, order_.begin(thread));
    if (in_set == first) continue;
    // The last write that is before the read.
    const auto before = std::lower_bound(first, in_set, order_.before(read, thread));
    if (before != first) {
      const Step other = {thread, *(before - 1)};
      if (other != writer) {
        if (writer == kNoStep) return Outcome::bad;
        const Outcome outcome = force({other, writer}, changed);
        if (outcome != Outcome::good) return outcome;
      }
    }
    // The first write that is after the read's writer.
    auto after = first;
    if (writer != kNoStep) {
      after = std::partition_point(after, in_set, [&](uint32_t place) {
        const Step other = {thread, place};
        return other == writer || !order_.ordered(writer, other);
      });
    }
    if (after == in_set) continue;
    const Step other = {thread, *after};
    if (other == read) continue;  // a read-modify-write, after which all others come
    const Outcome outcome = force({read, other}, changed);
    if (outcome != Outcome::good) return outcome;
  }
  return Outcome::good;
}

Search::Outcome Search::saturate_locks(bool& changed) {
  for (const LockId lock : locks_) {
    const std::vector<Model::ThreadSections>& sections = model_.sections(lock);
    if (sections.size() < 2) continue;
    const Outcome outcome = saturate_sections(sections, changed);
    if (outcome != Outcome::good) return outcome;
  }
  return Outcome::good;
}

// Two sections do not overlap: if one begins before the other ends, it ends
// before the other begins. A section that cannot end comes after all others.
Search::Outcome Search::saturate_sections(const std::vector<Model::ThreadSections>& lock,
                                          bool& changed) {
  for (const Model::ThreadSections& mine : lock) {
    const uint32_t begin = order_.begin(mine.thread);
    // Of one thread, sections end in the order in which they begin.
    auto section = std::partition_point(mine.sections.begin(), mine.sections.end(),
                                        [&](const Model::Section& one) { return one.end < begin; });
    for (; section != mine.sections.end() && section->begin < order_.length(mine.thread);
         ++section) {
      const bool is_of_past = section->begin < begin && window_.past == Window::Past::ignored;
      const auto rule = is_of_past ? &Search::saturate_section_of_past : &Search::saturate_section;
      for (const Model::ThreadSections& theirs : lock) {
        if (theirs.thread == mine.thread) continue;
        const Outcome outcome = (this->*rule)(mine.thread, *section, theirs, changed);
        if (outcome != Outcome::good) return outcome;
      }
    }
  }
  return Outcome::good;
}

// The section begins in a past that is ignored. Those that end after it begins come
// after it.
Search::Outcome Search::saturate_section_of_past(ThreadId thread, const Model::Section& section,
                                                 const Model::ThreadSections& theirs,
                                                 bool& changed) {
  const auto first = std::partition_point(
      theirs.sections.begin(), theirs.sections.end(),
      [&](const Model::Section& one) { return one.begin < order_.begin(theirs.thread); });
  const auto end = std::partition_point(
      first, theirs.sections.end(),
      [&](const Model::Section& one) { return one.begin < order_.length(theirs.thread); });
  auto after = std::partition_point(first, end, [&](const Model::Section& one) {
    const uint32_t last = std::min(one.end, order_.length(theirs.thread) - 1);
    return !follows_past({theirs.thread, last}, {thread, section.begin});
  });
  while (after != end && section.shared && after->shared) ++after;
  if (after == end) return Outcome::good;
  if (section.end >= limits_[thread]) return Outcome::bad;
  return force({{thread, section.end}, {theirs.thread, after->begin}}, changed);
}

Search::Outcome Search::saturate_section(ThreadId thread, const Model::Section& section,
                                         const Model::ThreadSections& theirs, bool& changed) {
  const Step begin = {thread, section.begin};
  const bool ends_here = section.end < order_.length(thread);
  const bool may_end = section.end < limits_[thread];
  // Their sections that begin before mine ends.
  uint32_t bound = order_.length(theirs.thread);
  if (ends_here) {
    bound = order_.before({thread, section.end}, theirs.thread);
  } else if (may_end) {
    bound = reads_from_.is_past(begin) ? order_.begin(theirs.thread)
                                       : order_.before(begin, theirs.thread);
  }
  auto last = std::partition_point(theirs.sections.begin(), theirs.sections.end(),
                                   [&](const Model::Section& one) { return one.begin < bound; });
  if (section.shared) {  // readers do not exclude readers
    while (last != theirs.sections.begin() && (last - 1)->shared) --last;
  }
  if (last == theirs.sections.begin()) return Outcome::good;
  const Model::Section& other = *(last - 1);
  if (other.end < order_.begin(theirs.thread)) return Outcome::good;  // it is past
  if (other.begin < order_.begin(theirs.thread) && window_.past == Window::Past::ignored) {
    return Outcome::good;
  }
  if (reads_from_.is_past(begin)) return Outcome::bad;  // the lock is held when the window begins
  if (other.end >= limits_[theirs.thread]) return Outcome::bad;
  return force({{theirs.thread, other.end}, begin}, changed);
}

}  // namespace foretrace
