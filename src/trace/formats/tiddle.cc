// Tiddle: the trace language of paper 000, Figure 24.1, with Foretrace's
// additions. See docs/formats/tiddle.md.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "trace/format.h"
#include "trace/text_reader.h"
#include "trace/text_writer.h"

namespace foretrace {
namespace {

constexpr std::string_view kDirectives[] = {"set", "unit"};

std::optional<Op> tiddle_op(std::string_view word) {
  const std::optional<Op> op = op_named(word);
  return op == Op::skip ? std::nullopt : op;
}

// "a thread and a location" etc., for messages.
std::string_view object_noun(Op op) {
  switch (space_of(op)) {
    case Space::thread:
      return "thread";
    case Space::location:
      return "location";
    case Space::lock:
      return "lock";
    case Space::label:
      return "label";
    case Space::barrier:
      return "barrier";
    case Space::object:
      return "object";
    case Space::none:
      break;
  }
  return "object";
}

class TiddleReader : public TextTraceReader {
 public:
  using TextTraceReader::TextTraceReader;

 protected:
  Result<void> line(std::string_view text) override {
    std::vector<std::string_view> words = words_of(text);
    const auto comment =
        std::find_if(words.begin(), words.end(), [](auto word) { return word[0] == '#'; });
    words.erase(comment, words.end());
    if (words.empty()) return {};
    if (words[0] == "set" || words[0] == "unit") return directive(words);

    const std::optional<Op> op = tiddle_op(words[0]);
    if (!op) return unknown(words[0]);
    SiteId site = kNoSite;
    const auto at = std::find(words.begin(), words.end(), "@");
    if (at != words.end()) {
      if (words.end() - at != 2) return fail("after '@' comes one site, such as bank.cpp:41");
      site = names().intern_site(*(at + 1));
      words.erase(at, words.end());
    }
    if (words.size() < 3) {
      return fail("'{}' needs a thread and a {}: {} 1 {}", words[0], object_noun(*op), words[0],
                  space_of(*op) == Space::thread ? "2" : "x");
    }
    return event(*op, words, site);
  }

 private:
  Result<void> event(Op op, const std::vector<std::string_view>& words, SiteId site) {
    const Result<ThreadId> thread = thread_named(words[1]);
    if (!thread) return tl::unexpected(thread.error());
    const uint32_t object = names().intern(space_of(op), words[2]);
    if (op == Op::fork || op == Op::join) {
      if (const Result<ThreadId> other = thread_named(words[2]); !other) {
        return tl::unexpected(other.error());
      }
    }
    Event& added = add(*thread, op, object, site);
    if (words.size() == 3) return {};
    if (space_of(op) != Space::location || words.size() > 4) {
      return fail("'{}' is one word too many after '{} {} {}'",
                  printable(words[space_of(op) == Space::location ? 4 : 3]), words[0],
                  printable(words[1]), printable(words[2]));
    }
    const std::optional<int64_t> value = parse_integer(words[3]);
    if (!value) {
      return fail("'{}' is not a value: values are whole numbers of at most 64 bits",
                  printable(words[3]));
    }
    set_value(added, *value);
    return {};
  }

  Result<void> directive(const std::vector<std::string_view>& words) {
    if (words.size() < 3) {
      return words[0] == "set" ? fail("'set' needs a name and locations: set account a.x a.y")
                               : fail("'unit' needs a label and sets: unit transfer account");
    }
    const std::vector<std::string> members(words.begin() + 2, words.end());
    if (words[0] == "set") {
      mutable_symbols().sets.push_back({std::string(words[1]), members});
    } else {
      mutable_symbols().units.push_back({std::string(words[1]), members});
    }
    return {};
  }

  static Result<void> unknown(std::string_view word) {
    std::vector<std::string> known(std::begin(kDirectives), std::end(kDirectives));
    for (size_t op = 1; op < kOpCount; ++op) known.emplace_back(kOpTraits[op].name);
    return fail("unknown operation '{}'{}", printable(word), did_you_mean(word, known));
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
