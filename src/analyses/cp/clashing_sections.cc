#include "analyses/cp/clashing_sections.h"

#include "base/table.h"

namespace foretrace::cp {
namespace {

// Whether a section protects an access of its thread from the other accesses
// under its lock that clash: a writer must exclude readers.
bool protects(const Section& section, Op op) { return !section.shared || op == Op::rd; }

void follow(OpenSections& open, const Event& event) {
  if (event.resumes != 0) open.resume(event);
  switch (event.op()) {
    case Op::acq:
    case Op::racq:
      open.begin(event);
      break;
    case Op::rel:
    case Op::rrel:
    case Op::wait:
      open.end(event);
      break;
    default:
      break;
  }
}

}  // namespace

void ClashingSections::survey(std::span<const Event> events) {
  for (const Event& event : events) {
    follow(open_, event);
    if (is_access(event.op())) survey(event);
  }
}

void ClashingSections::survey(const Event& access) {
  Location& x = slot(locations_, access.object);
  if (!x.accessed) x.thread = access.thread;
  x.accessed = true;
  x.shared |= access.thread != x.thread;
  x.written |= access.op() == Op::wr;
  // An access without a lock has no edge, so it needs no guard.
  const std::span<const Section> sections = open_.of(access.thread);
  if (sections.empty()) return;
  if (!x.guarded) {
    x.guarded = true;
    for (const Section& section : sections) {
      if (x.guard_count == kMaxGuards) break;
      if (protects(section, access.op())) x.guards[x.guard_count++] = section.lock;
    }
    return;
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < x.guard_count; ++i) {
    const bool held = std::any_of(sections.begin(), sections.end(), [&](const Section& section) {
      return section.lock == x.guards[i] && protects(section, access.op());
    });
    if (held) x.guards[kept++] = x.guards[i];
  }
  x.guard_count = kept;
}

BaseEdges ClashingSections::connect(std::span<const Event> events) {
  edges_.last.assign(open_.count() + size_t{1}, kNoSection);
  histories_.resize(locations_.size());
  open_ = OpenSections();
  for (const Event& event : events) {
    follow(open_, event);
    if (is_access(event.op())) connect(event);
  }
  std::sort(edges_.from_readers.begin(), edges_.from_readers.end());
  return std::move(edges_);
}

void ClashingSections::connect(const Event& access) {
  const Location& x = locations_[access.object];
  if (!x.shared || !x.written || !x.guarded) return;
  const std::span<const Section> sections = open_.of(access.thread);
  if (x.guard_count == 0) {
    for (const Section& section : sections) {
      add_access(unguarded_[uint64_t{section.lock} << 32 | access.object], access, section);
    }
    return;
  }
  for (const Section& section : sections) {
    if (section.lock != x.guards[0]) continue;
    add_access(histories_[access.object], access, section);
    return;
  }
}

void ClashingSections::add_access(AccessHistory& history, const Event& access,
                                  const Section& section) {
  if (section.shared) {
    add_shared(history, access, section);
  } else {
    add_exclusive(history, access, section);
  }
}

void ClashingSections::add_edge(const AccessHistory::Mark& source, ThreadId thread,
                                const Section& target) {
  if (source.section == kNoSection || source.thread == thread) return;
  SectionId& last = edges_.last[target.id];
  last = std::max(last, source.section);
}

// An exclusive section that writes stands for all that came before it: they
// have an edge into it or are of its thread, and whatever clashes with them
// clashes with it or is of its thread.
void ClashingSections::add_exclusive(AccessHistory& history, const Event& access,
                                     const Section& section) {
  const ThreadId self = access.thread;
  const bool writes = access.op() == Op::wr;
  add_edge(history.write, self, section);
  if (history.readers != nullptr) {
    // Later sections come after this one, so they need no edge of their own.
    std::erase_if(*history.readers, [&](const AccessHistory::ReaderMark& reader) {
      if (reader.thread == self || (!writes && !reader.wrote)) return false;
      edges_.from_readers.push_back({section.id, reader.thread, reader.section});
      return true;
    });
  }
  if (writes) {
    add_edge(history.read, self, section);
    add_edge(history.other_read, self, section);
    history = {.write = {section.id, self}};
  } else {
    if (history.read.thread != self) history.other_read = history.read;
    history.read = {section.id, self};
  }
}

// Reader sections have edges from and into exclusive ones only.
void ClashingSections::add_shared(AccessHistory& history, const Event& access,
                                  const Section& section) {
  const ThreadId self = access.thread;
  const bool writes = access.op() == Op::wr;
  add_edge(history.write, self, section);
  if (writes) {
    add_edge(history.read, self, section);
    add_edge(history.other_read, self, section);
  }
  if (history.readers == nullptr)
    history.readers = std::make_unique<std::vector<AccessHistory::ReaderMark>>();
  std::vector<AccessHistory::ReaderMark>& readers = *history.readers;
  const auto place = std::lower_bound(
      readers.begin(), readers.end(), std::pair(self, writes),
      [](const AccessHistory::ReaderMark& mark, const std::pair<ThreadId, bool>& key) {
        return std::pair(mark.thread, mark.wrote) < key;
      });
  if (place != readers.end() && place->thread == self && place->wrote == writes) {
    place->section = section.id;
  } else {
    readers.insert(place, {self, writes, section.id});
  }
}

}  // namespace foretrace::cp
