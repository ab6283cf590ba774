// What the writers of line-based formats share.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include "trace/format.h"

namespace foretrace {

// How a format spells names.
struct Spelling {
  // Whether the character of `name` at `place` may stay; else it becomes '_'.
  bool (*legal)(std::string_view name, size_t place);
  // The same for the texts of sites.
  bool (*legal_in_site)(std::string_view text, size_t place);
  // Threads with a number as their name are 7 in one format and T7 in another.
  enum class Threads { plain, with_t } threads;
};

// Writes a line, or a few, for each event. A subclass implements line().
class TextTraceWriter : public TraceWriter {
 public:
  TextTraceWriter(ByteSink& sink, const Symbols& symbols, const Spelling& spelling)
      : TraceWriter(sink, symbols), spelling_(spelling) {}

  Result<void> write(const EventBatch& batch) final;
  Result<void> finish() final;

 protected:
  // Puts the event, which is not an Op::skip, into words.
  virtual void line(const Event& event, std::optional<int64_t> value) = 0;
  // Called once, after the last event.
  virtual void at_end() {}

  // Where the lines go.
  std::string& text() { return text_; }

  // The word for a name: legal in the format, never empty, and different from
  // that of every other name in its namespace.
  std::string_view word(Space space, uint32_t id) {
    std::vector<std::string_view>& words = words_[static_cast<size_t>(space)];
    if (id < words.size() && !words[id].empty()) return words[id];
    return add_word(space, id);
  }
  std::string_view thread_word(ThreadId id) { return word(Space::thread, id); }
  std::string_view object_word(const Event& event) {
    return word(space_of(event.op()), event.object);
  }
  // A name outside the tables: only made legal.
  std::string legal_word(std::string_view name);
  // The text of a site other than kNoSite.
  std::string_view site_word(SiteId id) {
    if (id < sites_.size() && !sites_[id].empty()) return sites_[id];
    return add_site(id);
  }

 private:
  std::string_view add_word(Space space, uint32_t id);
  std::string_view add_site(SiteId id);
  void flush();

  const Spelling spelling_;
  std::string text_;
  std::array<std::vector<std::string_view>, kSpaceCount> words_;
  std::array<tsl::robin_set<std::string_view>, kSpaceCount> taken_;
  // For words that several names would become: the number of the last copy.
  std::array<tsl::robin_map<std::string, uint32_t>, kSpaceCount> copies_;
  std::deque<std::string> own_words_;  // those that are not in the symbols
  std::vector<std::string> sites_;
};

}  // namespace foretrace
