// Tiddle: the trace language of paper 000, Figure 24.1, with Foretrace's
// additions. See docs/formats/tiddle.md.
#include <string>

#include "base/text.h"
#include "trace/format.h"
#include "trace/text_reader.h"
#include "trace/text_writer.h"
#include "trace/tiddle_line.h"

namespace foretrace {
namespace {

std::optional<Op> tiddle_op(std::string_view word) {
  const std::optional<Op> op = op_named(word);
  return op == Op::skip ? std::nullopt : op;
}

class TiddleReader : public TextTraceReader {
 public:
  using TextTraceReader::TextTraceReader;

 protected:
  Result<void> line(std::string_view text) override {
    const tl::expected<TiddleLine, TiddleFault> parsed = parse_tiddle_line(text);
    if (!parsed) return fail("{}", parsed.error().sentence);
    if (parsed->words.empty()) return {};
    if (parsed->is_directive()) {
      directive(parsed->words);
      return {};
    }
    return event(*parsed);
  }

 private:
  Result<void> event(const TiddleLine& line) {
    const Op op = *line.op;
    const Result<ThreadId> thread = thread_named(line.words[1]);
    if (!thread) return tl::unexpected(thread.error());
    const uint32_t object = names().intern(space_of(op), line.words[2]);
    if (op == Op::fork || op == Op::join) {
      if (const Result<ThreadId> other = thread_named(line.words[2]); !other) {
        return tl::unexpected(other.error());
      }
    }
    const SiteId site = line.site.empty() ? kNoSite : names().intern_site(line.site);
    Event& added = add(*thread, op, object, site);
    if (line.value) set_value(added, *line.value);
    return {};
  }

  void directive(const std::vector<std::string_view>& words) {
    const std::vector<std::string> members(words.begin() + 2, words.end());
    if (words[0] == "set") {
      mutable_symbols().sets.push_back({std::string(words[1]), members});
    } else {
      mutable_symbols().units.push_back({std::string(words[1]), members});
    }
  }
};

class TiddleWriter : public TextTraceWriter {
 public:
  TiddleWriter(ByteSink& sink, const Symbols& symbols)
      : TextTraceWriter(sink, symbols, {legal, legal_in_site, Spelling::Threads::plain}) {}

 protected:
  void line(const Event& event, std::optional<int64_t> value) override {
    text().append(name_of(event.op())).append(" ").append(thread_word(event.thread));
    text().append(" ").append(object_word(event));
    if (value) text().append(" ").append(std::to_string(*value));
    if (event.site != kNoSite) text().append(" @ ").append(site_word(event.site));
    text() += '\n';
  }

  void at_end() override {
    for (uint32_t i = 0; i < symbols().sets.size(); ++i) {
      declare("set", symbols().sets[i].name, symbols().sets[i].locations);
    }
    for (uint32_t i = 0; i < symbols().units.size(); ++i) {
      declare("unit", symbols().units[i].label, symbols().units[i].sets);
    }
  }

 private:
  static bool legal(std::string_view name, size_t place) {
    const char c = name[place];
    // A word that starts with # is a comment, and @ alone announces a site.
    if (place == 0 && (c == '#' || name == "@")) return false;
    return c != ' ' && c != '\t' && c != '\n' && c != '\r';
  }
  static bool legal_in_site(std::string_view text, size_t place) { return legal(text, place); }

  void declare(std::string_view kind, std::string_view name,
               const std::vector<std::string>& members) {
    if (members.empty()) return lose(Loss::declaration);  // Tiddle wants one at least
    text().append(kind).append(" ").append(legal_word(name));
    for (const std::string& member : members) text().append(" ").append(legal_word(member));
    text() += '\n';
  }
};

Match match(std::string_view head, bool whole) {
  // Some line of the head is an operation, and every line before it is a
  // comment, a directive or blank.
  bool comment_seen = false;
  while (!head.empty()) {
    const size_t end = head.find('\n');
    if (end == std::string_view::npos && !whole) break;
    const std::vector<std::string_view> words = words_of(head.substr(0, end));
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (words.empty()) continue;
    if (words[0][0] == '#') {
      comment_seen = true;
    } else if (tiddle_op(words[0])) {
      return words.size() >= 3 ? Match::certain : Match::possible;
    } else if (words[0] != "set" && words[0] != "unit") {
      // A mistyped operation in an otherwise plausible line.
      return words.size() >= 3 && words.size() <= 6 && words[0].size() <= 9 && words[0][0] >= 'a' &&
                     words[0][0] <= 'z'
                 ? Match::possible
                 : Match::no;
    } else {
      comment_seen = true;
    }
  }
  return comment_seen ? Match::possible : Match::no;
}

const FormatRegistration registration({
    .name = "tiddle",
    .extension = ".tiddle",
    .summary = "one event a line, for people: wr 1 x",
    .match = match,
    .reader = [](ByteReader input) -> std::unique_ptr<TraceReader> {
      return std::make_unique<TiddleReader>(std::move(input));
    },
    .writer = [](ByteSink& sink, const Symbols& symbols) -> std::unique_ptr<TraceWriter> {
      return std::make_unique<TiddleWriter>(sink, symbols);
    },
});

}  // namespace
}  // namespace foretrace
