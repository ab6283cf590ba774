#include "trace/tiddle_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace foretrace {
namespace {

constexpr std::string_view kDirectives[] = {"set", "unit"};

// Longer lines are not shown whole.
constexpr size_t kShown = 160;

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
    case Space::none:
      break;
  }
  return "object";
}

// "a thread", "an object".
std::string with_article(std::string_view noun) {
  return fmt::format("{} {}", noun == "object" ? "an" : "a", noun);
}

std::vector<std::string> first_words() {
  std::vector<std::string> words(std::begin(kDirectives), std::end(kDirectives));
  for (size_t op = 1; op < kOpCount; ++op) words.emplace_back(kOpTraits[op].name);
  return words;
}

class LineParser {
 public:
  explicit LineParser(std::string_view text) : text_(text) {}

  tl::expected<TiddleLine, TiddleFault> parse() {
    line_.words = words_of(text_);
    take_comment();
    if (line_.words.empty()) return std::move(line_);
    const std::string_view first = line_.words[0];
    if (first == "set" || first == "unit") return directive();
    line_.op = op_named(first);
    if (!line_.op || line_.op == Op::skip) return unknown(first);
    return event();
  }

 private:
  using Parsed = tl::expected<TiddleLine, TiddleFault>;

  static Parsed fault(std::string sentence, std::string_view place, std::string expected) {
    return tl::unexpected(TiddleFault{std::move(sentence), place, std::move(expected)});
  }
  std::string_view line_end() const { return text_.substr(text_.size()); }
  // What is missing belongs behind the last word.
  std::string_view behind_last_word() const {
    const std::string_view last = line_.words.back();
    return {last.data() + last.size(), 0};
  }

  void take_comment() {
    const auto comment = std::find_if(line_.words.begin(), line_.words.end(),
                                      [](std::string_view word) { return word[0] == '#'; });
    if (comment == line_.words.end()) return;
    line_.comment = text_.substr(static_cast<size_t>(comment->data() - text_.data()));
    line_.words.erase(comment, line_.words.end());
  }

  Parsed unknown(std::string_view word) const {
    const std::vector<std::string> known = first_words();
    return fault(
        fmt::format("unknown operation '{}'{}", printable(word), did_you_mean(word, known)), word,
        fmt::format("an operation ({}), set or unit",
                    fmt::join(known.begin() + std::size(kDirectives), known.end(), " ")));
  }

  Parsed event() {
    const std::string_view name = line_.words[0];
    const auto at = std::find(line_.words.begin(), line_.words.end(), "@");
    if (at != line_.words.end()) {
      const bool missing = at + 1 == line_.words.end();
      if (line_.words.end() - at != 2) {
        return fault("after '@' comes one site, such as bank.cpp:41",
                     missing ? behind_last_word() : *(at + 2),
                     missing ? "a site: file:line" : "the end of the line: a site is one word");
      }
      line_.site = *(at + 1);
      line_.words.erase(at, line_.words.end());
    }
    const std::string_view noun = object_noun(*line_.op);
    if (line_.words.size() < 3) {
      return fault(
          fmt::format("'{}' needs a thread and {} {}: {} 1 {}", name, noun == "object" ? "an" : "a",
                      noun, name, space_of(*line_.op) == Space::thread ? "2" : "x"),
          behind_last_word(), line_.words.size() < 2 ? "a thread" : with_article(noun));
    }
    return value();
  }

  Parsed value() {
    const std::vector<std::string_view>& words = line_.words;
    if (words.size() == 3) return std::move(line_);
    const bool has_location = space_of(*line_.op) == Space::location;
    if (!has_location || words.size() > 4) {
      const std::string_view extra = words[has_location ? 4 : 3];
      return fault(fmt::format("'{}' is one word too many after '{} {} {}'", printable(extra),
                               words[0], printable(words[1]), printable(words[2])),
                   extra, "the end of the line, or '@' and a site");
    }
    line_.value = parse_integer(words[3]);
    if (!line_.value) {
      return fault(fmt::format("'{}' is not a value: values are whole numbers of at most 64 bits",
                               printable(words[3])),
                   words[3], "a whole number, or '@' and a site");
    }
    return std::move(line_);
  }

  Parsed directive() {
    if (line_.words.size() >= 3) return std::move(line_);
    const bool is_set = line_.words[0] == "set";
    const bool bare = line_.words.size() == 1;
    return fault(is_set ? "'set' needs a name and locations: set account a.x a.y"
                        : "'unit' needs a label and sets: unit transfer account",
                 behind_last_word(),
                 is_set ? (bare ? "the name of the set" : "a location")
                        : (bare ? "the label of the units" : "a set"));
  }

  const std::string_view text_;
  TiddleLine line_;
};

// A tab would move the mark away from its place.
std::string shown(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '\t', ' ');
  return printable(out, kShown);
}

// Where the part of a line that is shown begins, so that `offset` is in it.
size_t start_of_part(std::string_view text, size_t offset) {
  if (text.size() <= kShown || offset <= kShown / 2) return 0;
  size_t start = offset - kShown / 2;
  while (start < offset && (text[start] & 0xC0) == 0x80) ++start;  // inside a character
  return start;
}

}  // namespace

tl::expected<TiddleLine, TiddleFault> parse_tiddle_line(std::string_view text) {
  return LineParser(text).parse();
}

std::string tiddle_excerpt(std::string_view text, uint64_t number, std::string_view place,
                           std::string_view remark) {
  const auto offset = static_cast<size_t>(place.data() - text.data());
  const size_t start = start_of_part(text, offset);
  const std::string_view cut = start == 0 ? "" : "…";
  const std::string line = fmt::format("{}{}", cut, shown(text.substr(start)));
  const size_t before =
      display_width(cut) + display_width(shown(text.substr(start, offset - start)));
  const size_t width = std::max<size_t>(1, display_width(shown(place)));
  return fmt::format("{:>5} | {}\n{:>5} | {}^{} column {}: {}", number, line, "",
                     std::string(before, ' '), std::string(width - 1, '~'),
                     display_width(text.substr(0, offset)) + 1, remark);
}

}  // namespace foretrace
