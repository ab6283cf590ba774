// STD: the text format of the RAPID tools and their relatives, one event a line:
// T0|w(V1)|12. See docs/formats/std.md.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "trace/format.h"
#include "trace/reacquires.h"
#include "trace/text_reader.h"
#include "trace/text_writer.h"

namespace foretrace {
namespace {

struct OpWord {
  std::string_view word;
  Op op;  // Op::skip: not an event
};

constexpr OpWord kOpWords[] = {
    {"r", Op::rd},
    {"w", Op::wr},
    {"acq", Op::acq},
    {"rel", Op::rel},
    {"fork", Op::fork},
    {"join", Op::join},
    {"begin", Op::beg},
    {"end", Op::end},
    {"rd", Op::rd},
    {"wr", Op::wr},
    {"req", Op::skip},
    {"branch", Op::skip},
    {"racq", Op::racq},
    {"rrel", Op::rrel},
    {"wait", Op::wait},
    {"notify", Op::notify},
    {"notifyall", Op::notifyall},
    {"vrd", Op::vrd},
    {"vwr", Op::vwr},
    {"vrmw", Op::vrmw},
    {"barrier", Op::barrier},
    {"alloc", Op::alloc},
    {"free", Op::free},
    {"ard", Op::ard},
    {"awr", Op::awr},
    {"armw", Op::armw},
};

const OpWord* find_op(std::string_view word) {
  const auto* const found = std::find_if(std::begin(kOpWords), std::end(kOpWords),
                                         [&](const OpWord& known) { return known.word == word; });
  return found == std::end(kOpWords) ? nullptr : found;
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The parts of a line, without the blanks around them.
struct Fields {
  std::string_view thread;
  std::string_view op;
  bool has_object;
  std::string_view object;
  std::string_view site;
};

Result<Fields> fields_of(std::string_view text) {
  const auto malformed = [&](std::string_view what) {
    return fail("{} in '{}'; expected thread|op(object)|site, such as T1|w(V2)|12", what,
                printable(text));
  };
  const size_t first = text.find('|');
  if (first == std::string_view::npos) return malformed("no '|'");
  const size_t second = text.find('|', first + 1);
  Fields fields = {};
  fields.thread = trimmed(text.substr(0, first));
  if (fields.thread.empty()) return malformed("no thread");
  if (second != std::string_view::npos) {
    fields.site = trimmed(text.substr(second + 1));
    if (fields.site.find('|') != std::string_view::npos) return malformed("a third '|'");
  }
  const std::string_view call = trimmed(text.substr(first + 1, second - first - 1));
  const size_t open = call.find('(');
  fields.op = trimmed(call.substr(0, open));
  if (fields.op.empty()) return malformed("no operation");
  if (open == std::string_view::npos) return fields;
  if (call.back() != ')') return malformed("no ')'");
  fields.has_object = true;
  fields.object = trimmed(call.substr(open + 1, call.size() - open - 2));
  return fields;
}

class StdReader : public TextTraceReader {
 public:
  using TextTraceReader::TextTraceReader;

 protected:
  size_t plain_lines(std::string_view text) override;

  Result<void> line(std::string_view text) override {
    text = trimmed(text);
    if (text.empty()) return {};
    const Result<Fields> fields = fields_of(text);
    if (!fields) return tl::unexpected(fields.error());
    const OpWord* const known = find_op(fields->op);
    if (known == nullptr) return unknown(fields->op);
    if (known->op == Op::skip) {
      ++(fields->op == "req" ? requests_ : branches_);
      return {};
    }
    return event(known->op, *fields);
  }

  void at_end() override {
    if (requests_ + branches_ == 0) return;
    add_note(
        fmt::format("{}: {} left out: attempts to acquire ({} req) and branches ({} branch) "
                    "are not events",
                    source_name(), counted(requests_ + branches_, "line"), with_commas(requests_),
                    with_commas(branches_)));
  }

 private:
  Result<void> event(Op op, const Fields& fields) {
    const Result<ThreadId> thread = thread_of(fields.thread);
    if (!thread) return tl::unexpected(thread.error());
    uint32_t object = 0;
    if (space_of(op) == Space::thread && !fields.object.empty()) {
      const Result<ThreadId> other = thread_of(fields.object);
      if (!other) return tl::unexpected(other.error());
      object = *other;
    } else if (!fields.object.empty()) {
      object = names().intern(space_of(op), fields.object);
    } else if (op == Op::beg || op == Op::end) {
      object = names().intern(Space::label, "unit");
    } else {
      return fail("'{}' has no object; expected {}(name)", fields.op, fields.op);
    }
    const SiteId site = fields.site == "0" ? kNoSite : names().intern_site(fields.site);
    add(*thread, op, object, site);
    return {};
  }

  // A thread that is a bare number, as some write it in fork(9), is T9.
  Result<ThreadId> thread_of(std::string_view name) {
    return is_number(name) ? thread_named(fmt::format("T{}", name)) : thread_named(name);
  }

  static Result<void> unknown(std::string_view word) {
    std::vector<std::string> known;
    for (const OpWord& op : kOpWords) known.emplace_back(op.word);
    return fail("unknown operation '{}'{}", printable(word), did_you_mean(word, known));
  }

  uint64_t requests_ = 0;
  uint64_t branches_ = 0;
};

// A name as plain_lines() meets it: its text, and its letter and number if it
// has that form (see Interner::find()).
struct Scanned {
  std::string_view text;
  bool numbered;
  unsigned char letter;
  uint32_t number;
};

// Takes a name that ends with `stop` off `place`; false if it is empty, has a
// blank at an end, or the field or line ends before `stop` comes. A line's end
// must lie ahead.
inline bool scan(const char*& place, char stop, Scanned& name) {
  const bool has_letter = Interner::is_letter(*place) && *place != '|';
  name.letter = has_letter ? static_cast<unsigned char>(*place) : Interner::kNoLetter;
  const char* const digits = place + (has_letter ? 1 : 0);
  const char* p = digits;
  name.number = 0;
  for (;; ++p) {
    const auto digit = static_cast<uint32_t>(static_cast<unsigned char>(*p)) - '0';
    if (digit > 9) break;
    name.number = name.number * 10 + digit;
  }
  const auto count = static_cast<size_t>(p - digits);
  name.numbered = *p == stop && count - 1 < Interner::kMaxDigits && (*digits != '0' || count == 1);
  if (!name.numbered) {
    while (*p != stop && *p != '\n' && *p != '|') ++p;
    if (*p != stop || p == place || *place <= ' ' || p[-1] <= ' ') return false;
  }
  name.text = {place, p};
  place = p + 1;
  return true;
}

inline uint32_t intern(Interner& interner, const Scanned& name) {
  const uint32_t known = name.numbered ? interner.find(name.letter, name.number) : 0;
  return known != 0 ? known - 1 : interner.intern(name.text);
}

// Takes "op(" off `place`: the four operations that nearly all events are, or
// Op::skip.
inline Op scan_op(const char*& place) {
  const char* const p = place;
  if (p[1] == '(') {
    place = p + 2;
    return *p == 'r' ? Op::rd : *p == 'w' ? Op::wr : Op::skip;
  }
  place = p + 4;
  const std::string_view word(p, 4);
  return word == "acq(" ? Op::acq : word == "rel(" ? Op::rel : Op::skip;
}

size_t StdReader::plain_lines(std::string_view text) {
  constexpr ptrdiff_t kShortest = 6;  // "r(x)|\n"
  const char* const end = text.data() + text.size();
  const char* line_start = text.data();
  while (line_start < end && !batch_is_full()) {
    const char* place = line_start;
    Scanned thread;
    Scanned object;
    Scanned site;
    if (!scan(place, '|', thread) || end - place < kShortest) break;
    const Op op = scan_op(place);
    if (op == Op::skip || !scan(place, ')', object) || *place++ != '|') break;
    if (!scan(place, '\n', site)) break;

    // New threads are for line(): there may be too many, and 9 is T9.
    Interner& threads = names().space(Space::thread);
    if (thread.letter == Interner::kNoLetter) thread.letter = 'T';
    const uint32_t thread_id =
        thread.numbered ? threads.find(thread.letter, thread.number) : threads.find(thread.text);
    if (thread_id == 0) break;

    SiteId site_id = kNoSite;
    if (site.text != "0") {
      if (site.numbered && site.letter == Interner::kNoLetter) {
        site_id = names().find_line(site.number);
      }
      if (site_id == kNoSite) site_id = names().intern_site(site.text);
    }
    add(thread_id - 1, op, intern(names().space(space_of(op)), object), site_id);
    next_line();
    line_start = place;
  }
  return static_cast<size_t>(line_start - text.data());
}

class StdWriter : public TextTraceWriter {
 public:
  StdWriter(ByteSink& sink, const Symbols& symbols)
      : TextTraceWriter(sink, symbols, {legal, legal_in_site, Spelling::Threads::with_t}) {}

 protected:
  void line(const Event& event, std::optional<int64_t> value) override {
    if (value) lose(Loss::value);
    if (const std::optional<LockId> lock = reacquires_.before(event)) {
      put(event.thread, "acq", word(Space::lock, *lock), kNoSite);
    }
    const std::string_view op = op_word(event.op());
    if (op.empty()) {
      lose(event.op());
    } else {
      put(event.thread, op, object_word(event), event.site);
    }
  }

  void at_end() override {
    lose(Loss::declaration, symbols().sets.size() + symbols().units.size());
  }

 private:
  static bool legal(std::string_view name, size_t place) {
    const char c = name[place];
    return static_cast<unsigned char>(c) > ' ' && c != '|' && c != '(' && c != ')';
  }
  static bool legal_in_site(std::string_view text, size_t place) {
    return text[place] != '|' && text[place] != '\n' && text[place] != '\r';
  }

  // What RAPID's readers understand; "" for the rest.
  static std::string_view op_word(Op op) {
    switch (op) {
      case Op::rd:
        return "r";
      case Op::wr:
        return "w";
      case Op::acq:
        return "acq";
      case Op::wait:
      case Op::rel:
        return "rel";
      case Op::fork:
        return "fork";
      case Op::join:
        return "join";
      case Op::beg:
        return "begin";
      case Op::end:
        return "end";
      default:
        return {};
    }
  }

  void put(ThreadId thread, std::string_view op, std::string_view object, SiteId site) {
    text().append(thread_word(thread)).append("|").append(op).append("(").append(object);
    text().append(")|").append(site == kNoSite ? "0" : site_word(site)).append("\n");
  }

  Reacquires reacquires_;
};

// Judges by the first line that is not blank.
Match match(std::string_view head, bool whole) {
  while (!head.empty()) {
    const size_t end = head.find('\n');
    if (end == std::string_view::npos && !whole) return Match::no;
    const std::string_view text = trimmed(head.substr(0, end));
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (text.empty()) continue;
    const Result<Fields> fields = fields_of(text);
    if (!fields) return Match::no;
    if (find_op(fields->op) != nullptr) return Match::certain;
    return fields->has_object ? Match::possible : Match::no;
  }
  return Match::no;
}

const FormatRegistration registration({
    .name = "std",
    .extension = ".std",
    .summary = "one event a line, as the RAPID tools write it: T0|w(V1)|12",
    .match = match,
    .reader = [](ByteReader input) -> std::unique_ptr<TraceReader> {
      return std::make_unique<StdReader>(std::move(input));
    },
    .writer = [](ByteSink& sink, const Symbols& symbols) -> std::unique_ptr<TraceWriter> {
      return std::make_unique<StdWriter>(sink, symbols);
    },
});

}  // namespace
}  // namespace foretrace
