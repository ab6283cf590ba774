// Definition 8, condition 3: sections of a lock that cannot change places.
#include <algorithm>

#include "analyses/mb/must_before.h"

namespace foretrace::mb {

Section* MustBefore::make_section() {
  if (free_sections_.empty()) {
    sections_.push_back(std::make_unique<Section>());
    return sections_.back().get();
  }
  Section* const section = free_sections_.back();
  free_sections_.pop_back();
  return section;
}

void MustBefore::enqueue(Section* section) {
  if (section->complete || section->queued) return;
  section->queued = true;
  queue_.push_back(section);
}

void MustBefore::enqueue_open(const Thread& thread) {
  for (Section* section : thread.open) enqueue(section);
}

// Looks at every section that something new must come before, until nothing new
// turns up.
void MustBefore::run_queue() {
  while (!queue_.empty()) {
    Section* const section = queue_.back();
    queue_.pop_back();
    section->queued = false;
    if (!section->complete) order_after_earlier(*section);
  }
}

void MustBefore::order_after_earlier(Section& section) {
  sources_.clear();
  bool all = find_sources(section, locks_[section.lock].exclusive);
  if (!section.shared) all &= find_sources(section, locks_[section.lock].shared);
  if (!sources_.empty()) {
    // The latest one may well know the others.
    std::sort(sources_.begin(), sources_.end(), [](const Source& a, const Source& b) {
      return a.section->released > b.section->released;
    });
    VectorClock joined;
    for (const Source& source : sources_) {
      if (clock_in(joined.get(source.thread)) < source.section->released) {
        learn(joined, source.thread, *source.section);
      }
    }
    add_edges(section, joined);  // may put this very section into the queue again
  }
  if (!all) return;
  section.complete = true;
  section.start = nullptr;
}

// Finds those earlier sections whose acquires must come before the end of this
// one, and whose releases are not before its acquire yet. True if these are all
// that there can ever be.
bool MustBefore::find_sources(const Section& section, const SectionList& earlier) {
  const Stretch& end = end_of(section);
  const bool no_news = &end == section.start;
  const uint64_t tag = tag_of(section.lock);
  bool all = true;
  earlier.released().for_each_above(
      section.start->past, [&](ThreadId thread, uint64_t, uint64_t known) {
        if (thread == section.thread) return;
        const uint64_t reached = no_news ? known : end.past.get(thread);
        // If this is not news, and no section of the thread is known in part:
        if (reached == known && (reached & tag) == 0) {
          all = false;
          return;
        }
        const ThreadSections& sections = earlier.of(thread);
        const PastSection* const source = sections.last_before(clock_in(reached), forgotten_);
        if (source != &sections.last()) all = false;
        if (source == nullptr || source->released <= clock_in(known)) return;
        sources_.push_back({thread, source});
      });
  return all;
}

// Everything at or after the section's acquire now comes after the sources too.
// The clocks are those of a transitive relation, and what is at or before the
// sources is in `sources`; so this keeps them transitive in one go.
void MustBefore::add_edges(const Section& section, const VectorClock& sources) {
  add_edges(section, sources, threads_[section.thread]);
  if (threads_[section.thread].learnt_of < clock_of(section.acquired)) return;
  for (ThreadId id = 0; id < threads_.size(); ++id) {
    if (id != section.thread) add_edges(section, sources, threads_[id]);
  }
  for (Stretch* const generation : generations_) {
    if (is_after_acquire(*generation, section)) add_to(*generation, sources);
  }
}

void MustBefore::add_edges(const Section& section, const VectorClock& sources,
                           const Thread& thread) {
  // What is before a stretch in its thread is after the acquire only if it is.
  for (size_t i = thread.stretches.size(); i-- > 0;) {
    Stretch& stretch = *thread.stretches[i];
    if (!is_after_acquire(stretch, section)) break;
    if (add_to(stretch, sources) && &stretch == thread.current) enqueue_open(thread);
  }
}

bool MustBefore::is_after_acquire(const Stretch& stretch, const Section& section) {
  if (stretch.thread == section.thread) return stretch.first >= section.acquired;
  return stretch.knows(section.thread) >= clock_of(section.acquired);
}

// Whether that is anything new.
bool MustBefore::add_to(Stretch& stretch, const VectorClock& sources) {
  if (sources <= stretch.past) return false;
  stretch.past.join(sources);
  for (Section* ended = stretch.released; ended != nullptr; ended = ended->next) enqueue(ended);
  return true;
}

}  // namespace foretrace::mb
