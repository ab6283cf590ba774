// Logs of RoadRunner's Print tool: "@  Wr(1,@02.Foo.x)  null  Foo.java:12:3". See
// docs/formats/roadrunner.md.
#include <algorithm>
#include <string>

#include <tsl/robin_map.h>

#include "base/text.h"
#include "trace/format.h"
#include "trace/reacquires.h"
#include "trace/text_reader.h"
#include "trace/text_writer.h"

namespace foretrace {
namespace {

struct OpWord {
  std::string_view word;
  Op op;
};

constexpr OpWord kOpWords[] = {
    {"Acquire", Op::acq},
    {"Release", Op::rel},
    {"Rd", Op::rd},
    {"Wr", Op::wr},
    {"ARd", Op::rd},
    {"AWr", Op::wr},
    {"VRd", Op::vrd},
    {"VWr", Op::vwr},
    {"Start", Op::fork},
    {"Join", Op::join},
    {"Enter", Op::beg},
    {"Exit", Op::end},
    {"Wait", Op::wait},
    {"Notify", Op::notify},
    {"Barrier", Op::barrier},
    // The initialiser of a class happens before every use of the class.
    {"ClassInited", Op::vwr},
    {"ClassAccssed", Op::vrd},  // as RoadRunner spells it
    {"ClassAccessed", Op::vrd},
};

const OpWord* find_op(std::string_view word) {
  const auto* const found = std::find_if(std::begin(kOpWords), std::end(kOpWords),
                                         [&](const OpWord& known) { return known.word == word; });
  return found == std::end(kOpWords) ? nullptr : found;
}

// A line "@ Op(thread,object) tail", taken apart.
struct Call {
  const OpWord* op = nullptr;  // null: another kind of line
  std::string_view after;      // what follows the '('
};

Call call_of(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with('@')) return {};
  text = trimmed(text.substr(1));
  const size_t open = text.find('(');
  if (open == std::string_view::npos) return {};
  return {find_op(trimmed(text.substr(0, open))), text.substr(open + 1)};
}

// The place of the ')' that closes the list at the front of `text`; methods
// have parentheses in their names.
size_t closing_place(std::string_view text) {
  size_t depth = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// Takes ",word" off the end of `text`.
bool take_last(std::string_view& text, std::string_view word) {
  const size_t comma = text.rfind(',');
  if (comma == std::string_view::npos || trimmed(text.substr(comma + 1)) != word) return false;
  text = trimmed(text.substr(0, comma));
  return true;
}

// The site is the last word of the line, if it has a line number; what lies
// before is the state of RoadRunner's tools.
std::string_view site_in(std::string_view tail) {
  tail = trimmed(tail);
  const size_t blank = tail.find_last_of(" \t");
  std::string_view word = blank == std::string_view::npos ? tail : tail.substr(blank + 1);
  word = word.substr(word.rfind('@') + 1);  // call_Foo.bar()V@Foo.java:12:3
  return parse_site(word).line != 0 ? word : std::string_view();
}

// RoadRunner prints some operations before and after they happen. Two such
// lines in a row of one thread are one operation: the first counts for Start and
// Notify, the second for Join; of a Wait the first is the wait and the second
// the re-acquire of its lock. A log that has only one of the lines works too.
class RoadRunnerReader : public TextTraceReader {
 public:
  using TextTraceReader::TextTraceReader;

 protected:
  Result<void> line(std::string_view text) override {
    const Call call = call_of(text);
    if (call.op == nullptr) {
      if (!trimmed(text).empty()) ++other_lines_;
      return {};
    }
    const size_t close = closing_place(call.after);
    const size_t comma = call.after.find(',');
    if (close == std::string_view::npos || comma > close) {
      return malformed(text, *call.op);
    }
    const std::string_view tid = trimmed(call.after.substr(0, comma));
    const std::string_view object = trimmed(call.after.substr(comma + 1, close - comma - 1));
    if (tid.empty() || object.empty()) return malformed(text, *call.op);
    return call_event(*call.op, tid, object, site_in(call.after.substr(close + 1)));
  }

  void at_end() override {
    for (ThreadId thread = 0; thread < open_.size(); ++thread) close_join(thread);
    if (other_lines_ > 0) {
      add_note(fmt::format("{}: {} skipped that {} no event of a trace", source_name(),
                           counted(other_lines_, "line"), other_lines_ == 1 ? "is" : "are"));
    }
    if (late_joins_ > 0) {
      add_note(
          fmt::format("{}: {} left out: RoadRunner had given the thread's number to another "
                      "(its option -noTidGC keeps it from that)",
                      source_name(), counted(late_joins_, "join")));
    }
  }

 private:
  // The line of a thread that may be the first of two.
  struct Open {
    Op op = Op::skip;
    uint32_t object = 0;
    SiteId site = kNoSite;
    uint64_t line_number = 0;
  };

  static Result<void> malformed(std::string_view text, const OpWord& op) {
    return fail("'{}' is not {}(thread,object)", printable(trimmed(text)), op.word);
  }

  Result<void> call_event(const OpWord& known, std::string_view tid, std::string_view object,
                          std::string_view site_text) {
    Op op = known.op;
    if (op == Op::notify) {
      if (take_last(object, "true")) {
        op = Op::notifyall;
      } else {
        take_last(object, "false");
      }
    }
    if (op == Op::barrier) {
      if (take_last(object, "Exit")) return {};  // the thread's next event tells that
      take_last(object, "Enter");
    }
    const Result<ThreadId> thread = thread_with(tid);
    if (!thread) return tl::unexpected(thread.error());
    const Result<std::optional<uint32_t>> id = object_of(known, op, *thread, object);
    if (!id) return tl::unexpected(id.error());
    if (*id) event(*thread, op, **id, names().intern_site(site_text));
    return {};
  }

  Result<std::optional<uint32_t>> object_of(const OpWord& known, Op op, ThreadId thread,
                                            std::string_view object) {
    if (op == Op::join && object == "-1") {
      ++late_joins_;
      return std::nullopt;
    }
    if (op == Op::join)
      return thread_with(object).map([](ThreadId id) { return std::optional(id); });
    if (op == Op::fork) {
      return started(thread, object).map([](ThreadId id) { return std::optional(id); });
    }
    if (known.word.starts_with("Class")) {
      return names().intern(space_of(op), fmt::format("class:{}", object));
    }
    return names().intern(space_of(op), object);
  }

  void event(ThreadId thread, Op op, uint32_t object, SiteId site) {
    if (thread >= open_.size()) open_.resize(thread + 1);
    if (open_[thread].op == op && open_[thread].object == object) {
      open_[thread] = {};
      if (op == Op::join) add(thread, op, object, site);
      if (op == Op::wait) add(thread, Op::acq, object, site);
      return;
    }
    close_join(thread);
    open_[thread] = {};
    const bool pairs = op == Op::fork || op == Op::join || op == Op::wait || op == Op::notify ||
                       op == Op::notifyall;
    if (pairs) open_[thread] = {op, object, site, line_number()};
    if (op != Op::join) add(thread, op, object, site);
  }

  // A join that is told in one line is made when its thread goes on: before
  // that, it may still be waiting.
  void close_join(ThreadId thread) {
    const Open& open = open_[thread];
    if (open.op == Op::join) {
      add_from(open.line_number, thread, Op::join, open.object, open.site);
    }
  }

  Result<ThreadId> thread_with(std::string_view tid) {
    const auto found = lives_.find(tid);
    return found == lives_.end() ? thread_named(tid) : Result<ThreadId>(found->second.thread);
  }

  // The thread that a Start line starts. RoadRunner gives the number of a thread
  // that ended to a new one: the second life of thread 3 is thread 3#2.
  Result<ThreadId> started(ThreadId parent, std::string_view tid) {
    const auto found = lives_.find(std::string(tid));
    if (found == lives_.end()) {
      const Result<ThreadId> thread = thread_named(tid);
      if (thread) lives_.emplace(std::string(tid), Life{*thread, 1});
      return thread;
    }
    const bool second_line = parent < open_.size() && open_[parent].op == Op::fork &&
                             open_[parent].object == found->second.thread;
    if (second_line) return found->second.thread;
    const uint32_t number = found->second.number + 1;
    const Result<ThreadId> thread = thread_named(fmt::format("{}#{}", tid, number));
    if (thread) found.value() = {*thread, number};
    return thread;
  }

  struct Life {
    ThreadId thread;
    uint32_t number;
  };
  struct TidHash {
    using is_transparent = void;
    size_t operator()(std::string_view tid) const { return std::hash<std::string_view>()(tid); }
  };
  // The present thread of each tid that a Start line has named.
  tsl::robin_map<std::string, Life, TidHash, std::equal_to<>> lives_;
  std::vector<Open> open_;  // by thread
  uint64_t other_lines_ = 0;
  uint64_t late_joins_ = 0;
};

class RoadRunnerWriter : public TextTraceWriter {
 public:
  RoadRunnerWriter(ByteSink& sink, const Symbols& symbols)
      : TextTraceWriter(sink, symbols, {legal, legal_in_site, Spelling::Threads::plain}) {}

 protected:
  void line(const Event& event, std::optional<int64_t> value) override {
    if (value) lose(Loss::value);
    if (const std::optional<LockId> lock = reacquires_.before(event)) {
      put(event.thread, "Wait", word(Space::lock, *lock), {}, kNoSite);
    }
    const std::string_view object = object_word(event);
    const std::string_view op = op_word(event.op(), object);
    if (op.empty()) {
      lose(event.op());
      return;
    }
    if (event.site != kNoSite && symbols().sites[event.site].line == 0) lose(Loss::site);
    // As RoadRunner does, one line before the operation and one after it.
    const bool twice =
        event.op() == Op::join || event.op() == Op::notify || event.op() == Op::notifyall;
    for (int lines = twice ? 2 : 1; lines > 0; --lines) {
      put(event.thread, op, object, extra(event.op()), event.site);
    }
  }

  void at_end() override {
    lose(Loss::declaration, symbols().sets.size() + symbols().units.size());
  }

 private:
  static bool legal(std::string_view name, size_t place) {
    const char c = name[place];
    const bool at_an_end = place == 0 || place + 1 == name.size();
    if (name == "-1") return place != 0;  // no thread, in a Join line
    if (c == '(' || c == ')') return balanced(name);
    return static_cast<unsigned char>(c) >= ' ' && c != ',' && (c != ' ' || !at_an_end);
  }
  static bool legal_in_site(std::string_view text, size_t place) {
    return static_cast<unsigned char>(text[place]) > ' ' && text[place] != '@';
  }

  // Whether each '(' of the name has its ')', as in the names of methods.
  static bool balanced(std::string_view name) {
    constexpr size_t kLongest = 1000;  // asked for each parenthesis: keep it linear
    if (name.size() > kLongest) return false;
    int depth = 0;
    for (const char c : name) {
      if (c == '(') ++depth;
      if (c == ')' && --depth < 0) return false;
    }
    return depth == 0;
  }

  static std::string_view op_word(Op op, std::string_view object) {
    const bool element = object.ends_with(']');
    switch (op) {
      case Op::rd:
        return element ? "ARd" : "Rd";
      case Op::wr:
        return element ? "AWr" : "Wr";
      case Op::vrd:
        return "VRd";
      case Op::vwr:
        return "VWr";
      case Op::acq:
        return "Acquire";
      case Op::rel:
        return "Release";
      case Op::fork:
        return "Start";
      case Op::join:
        return "Join";
      case Op::beg:
        return "Enter";
      case Op::end:
        return "Exit";
      case Op::wait:
        return "Wait";
      case Op::notify:
        return "Notify";
      case Op::notifyall:
        return "Notify";
      case Op::barrier:
        return "Barrier";
      default:
        return {};
    }
  }

  static std::string_view extra(Op op) {
    switch (op) {
      case Op::notify:
        return ",false";
      case Op::notifyall:
        return ",true";
      case Op::barrier:
        return ",Enter";
      default:
        return {};
    }
  }

  void put(ThreadId thread, std::string_view op, std::string_view object, std::string_view more,
           SiteId site) {
    text().append("@  ").append(op).append("(").append(thread_word(thread)).append(",");
    text().append(object).append(more).append(")");
    const bool access = op.ends_with("Rd") || op.ends_with("Wr");
    if (site != kNoSite) {
      text().append("  null  ").append(site_word(site));
    } else if (access) {
      text().append("  null  NullLoc");  // RAPID's reader wants three parts
    }
    text() += '\n';
  }

  Reacquires reacquires_;
};

// Certain if one of the first lines tells of an event; possible if the log
// starts with a message of RoadRunner.
Match match(std::string_view head, bool whole) {
  Match match = Match::no;
  for (bool first = true; !head.empty(); first = false) {
    const size_t end = head.find('\n');
    if (end == std::string_view::npos && !whole) break;
    const std::string_view text = trimmed(head.substr(0, end));
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (call_of(text).op != nullptr) return Match::certain;
    if (first && text.starts_with('[') && text.ends_with(']')) match = Match::possible;
  }
  return match;
}

const FormatRegistration registration({
    .name = "roadrunner",
    .extension = ".rr",
    .summary = "the log of RoadRunner's Print tool: @ Wr(1,x)",
    .match = match,
    .reader = [](ByteReader input) -> std::unique_ptr<TraceReader> {
      return std::make_unique<RoadRunnerReader>(std::move(input));
    },
    .writer = [](ByteSink& sink, const Symbols& symbols) -> std::unique_ptr<TraceWriter> {
      return std::make_unique<RoadRunnerWriter>(sink, symbols);
    },
});

}  // namespace
}  // namespace foretrace
