#include "analyses/cp/edge_search.h"

#include <algorithm>

#include "base/interrupt.h"
#include "base/table.h"

namespace foretrace::cp {
SearchResult search_edges(BaseEdges& edges, std::span<const Event> events, size_t remembered) {
  EdgeSearch search(edges, std::min(remembered, edges.last.size()));
  for (size_t i = 0; i < events.size(); ++i) {
    if (i % 4096 == 0 && interrupted()) return SearchResult::interrupted;
    if (events[i].resumes != 0) search.resume(events[i]);
    search.advance(events[i]);
  }
  search.finish();
  return search.incomplete() ? SearchResult::incomplete : SearchResult::complete;
}

EdgeSearch::EdgeSearch(BaseEdges& edges, size_t remembered)
    : CausalOrder(edges, static_cast<SectionId>(remembered)), edges_(edges), records_(remembered) {}

EdgeSearch::Record* EdgeSearch::remembered(SectionId id) {
  Record& record = records_[id % records_.size()];
  return record.section.id == id ? &record : nullptr;
}

void EdgeSearch::begin(ThreadId thread, const Section& section) {
  CausalOrder::begin(thread, section);
  Record& record = records_[section.id % records_.size()];
  record = {section, thread, ++now_, VectorClock()};
  std::vector<SectionId>& begun = slot(begun_, section.lock);
  if (begun.size() >= 64 && remembered(begun[begun.size() / 2]) == nullptr) {
    begun.erase(begun.begin(), begun.begin() + static_cast<ptrdiff_t>(begun.size() / 2));
  }
  begun.push_back(section.id);
}

void EdgeSearch::end(ThreadId thread, const Section& section) {
  CausalOrder::end(thread, section);
  ThreadRecord& self = slot(thread_records_, thread);
  if (self.ended.size() >= 64 && remembered(self.ended[self.ended.size() / 2].id) == nullptr) {
    const auto kept = self.ended.begin() + static_cast<ptrdiff_t>(self.ended.size() / 2);
    self.forgotten = std::prev(kept)->time;
    self.ended.erase(self.ended.begin(), kept);
  }
  self.ended.push_back({section.id, ++now_});
  Time begun = 0;
  if (Record* const record = remembered(section.id)) {
    record->causes = causes(thread);
    begun = record->begun;
  }
  find_sources(section, thread, begun, causes(thread));
  repair();
}

// `causes` are those of the section's release.
void EdgeSearch::find_sources(const Section& section, ThreadId thread, Time begun,
                              const VectorClock& causes) {
  Lock& lock = this->lock(section.lock);
  SectionId& last = edges_.last[section.id];
  const PastSection* const writer = lock.writers.precedes(section.id, causes);
  if (writer != nullptr && writer->id > last) {
    last = writer->id;
    lessons_.push_back({thread, begun, writer->clock});
  }
  if (section.shared) return;
  if (writer != nullptr) lock.writers.add_target(writer, section.id);
  for (ReaderQueue& readers : lock.readers) {
    const PastSection* const reader = readers.past.precedes(section.id, causes);
    if (reader == nullptr) continue;
    readers.past.add_target(reader, section.id);
    if (reader->id < last) continue;  // the edge from there covers it
    found_.push_back({section.id, readers.thread, reader->id});
    lessons_.push_back({thread, begun, reader->clock});
  }
}

void EdgeSearch::repair() {
  while (!lessons_.empty()) {
    const Lesson lesson = std::move(lessons_.back());
    lessons_.pop_back();
    teach(lesson);
  }
}

void EdgeSearch::teach(const Lesson& lesson) {
  ThreadRecord& self = slot(thread_records_, lesson.thread);
  if (self.forgotten > lesson.since) incomplete_ = true;
  const auto first =
      std::partition_point(self.ended.begin(), self.ended.end(),
                           [&](const Ending& ending) { return ending.time <= lesson.since; });
  for (auto ending = first; ending != self.ended.end(); ++ending) {
    Record* const record = remembered(ending->id);
    if (record == nullptr) {
      incomplete_ = true;
      continue;
    }
    // What the thread knew at a release it knew, or will be taught, at later ones.
    if (lesson.clock <= record->causes) return;
    record->causes.join(lesson.clock);
    teach_followers(*record, lesson.clock);
    find_sources(record->section, record->thread, record->begun, record->causes);
  }
  causes(lesson.thread).join(lesson.clock);
}

// What a section knew at its release went to the next exclusive section of the
// lock, and if it was one itself, to reader sections until then.
void EdgeSearch::teach_followers(const Record& record, const VectorClock& clock) {
  const Section& section = record.section;
  const std::vector<SectionId>& begun = begun_[section.lock];
  for (auto id = std::upper_bound(begun.begin(), begun.end(), section.id); id != begun.end();
       ++id) {
    const Record& next = *remembered(*id);  // it is newer than `record`
    if (section.shared && next.section.shared) continue;
    lessons_.push_back({next.thread, next.begun, clock});
    if (!next.section.shared) return;
  }
  Lock& lock = this->lock(section.lock);
  (section.shared ? lock.reader_causes : lock.causes).join(clock);
}

void EdgeSearch::finish() {
  // A section that is still open would end after its thread's last event.
  for (bool more = true; more;) {
    more = false;
    for (ThreadId thread = 0; thread < open().thread_count(); ++thread) {
      for (const Section& section : open().of(thread)) {
        const Record* const record = remembered(section.id);
        find_sources(section, thread, record == nullptr ? 0 : record->begun, causes(thread));
      }
      more |= !lessons_.empty();
      repair();
    }
  }
  std::vector<BaseEdges::FromReader>& edges = edges_.from_readers;
  edges.insert(edges.end(), found_.begin(), found_.end());
  std::sort(edges.begin(), edges.end());
}

}  // namespace foretrace::cp
