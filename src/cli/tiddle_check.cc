// foretrace tiddle check: everything that is wrong with a Tiddle trace.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "base/text.h"
#include "cli/command.h"
#include "cli/error_excerpt.h"
#include "cli/tiddle_text.h"
#include "trace/stream.h"
#include "trace/tiddle_line.h"

namespace foretrace {
namespace {

struct Options {
  std::string path;
  bool unnested = false;
};

constexpr size_t kMostShown = 20;

class Check {
 public:
  Check(const Options& options, TiddleText text)
      : options_(options), text_(std::move(text)), lines_(text_.lines()) {}

  Result<int> run() {
    check_lines();
    if (errors_ == 0) {
      if (Result<void> done = check_trace(); !done) return tl::unexpected(done.error());
    }
    if (errors_ > 1) return fail("{}: {}", text_.name, counted(errors_, "error"));
    if (errors_ == 1) return kExitBadInput;
    fmt::print("{}: {}, {}, {}, {}{}\n", text_.name, counted(trace_.events.size(), "event"),
               names(Space::thread, "thread"), names(Space::location, "location"),
               names(Space::lock, "lock"),
               warnings_ > 0 ? "; " + counted(warnings_, "warning") : std::string());
    return kExitClean;
  }

 private:
  std::string names(Space space, std::string_view noun) const {
    return counted(trace_.symbols->names(space).size(), noun);
  }

  void print(uint64_t line, std::string_view kind, std::string_view sentence) {
    fmt::print(stderr, "foretrace: {}:{}: {}{}\n{}\n", text_.name, line, kind, sentence,
               line_excerpt(lines_[line - 1], line));
  }

  void error(uint64_t line, std::string_view sentence) {
    if (++errors_ <= kMostShown) print(line, "", sentence);
  }
  void warn(uint64_t line, std::string_view sentence) {
    if (++warnings_ <= kMostShown) print(line, "warning: ", sentence);
  }

  void check_lines() {
    for (size_t i = 0; i < lines_.size(); ++i) {
      const tl::expected<TiddleLine, TiddleFault> line = parse_tiddle_line(lines_[i]);
      if (!line) error(i + 1, line.error().sentence);
    }
  }

  // The lines are right; now whether a program can do that.
  Result<void> check_trace() {
    Result<std::unique_ptr<ByteSource>> source = memory_input(text_.name, text_.text);
    if (!source) return tl::unexpected(source.error());
    const Result<std::unique_ptr<TraceReader>> reader = open_trace(std::move(*source), "tiddle");
    if (!reader) return tl::unexpected(reader.error());
    // Lenient, to see all that is wrong: each event that is wrong is taken out.
    WellFormed checker((*reader)->symbols(), text_.name,
                       {.lenient = true, .unnested = options_.unnested});
    trace_.symbols = (*reader)->shared_symbols();
    EventBuffer buffer;
    for (;;) {
      Result<void> done = (*reader)->read(buffer);
      if (done) done = checker.check(buffer);
      if (!done) return done;
      if (buffer.events.empty()) break;
      trace_.events.insert(trace_.events.end(), buffer.events.begin(), buffer.events.end());
      event_lines_.insert(event_lines_.end(), buffer.lines.begin(), buffer.lines.end());
    }
    for (const std::string& note : checker.notes()) print_dropped(note);
    errors_ = checker.dropped_count();
    if (errors_ == 0) warn_about_the_end();
    if (errors_ == 0) warn_about_directives();
    return {};
  }

  // "a.tiddle:12: dropped: thread 1 …"; notes that are not about an event are others.
  void print_dropped(const std::string& note) {
    constexpr std::string_view kDropped = ": dropped: ";
    const size_t start = note.find(kDropped, text_.name.size());
    if (start == std::string::npos) return;
    const size_t number = text_.name.size() + 1;
    const std::optional<int64_t> line = parse_integer(note.substr(number, start - number));
    if (line) print(static_cast<uint64_t>(*line), "", note.substr(start + kDropped.size()));
  }

  // What a program could not leave open.
  void warn_about_the_end() {
    struct Open {
      uint64_t line;
      std::string what;
    };
    std::map<std::tuple<ThreadId, Space, uint32_t>, Open> open;
    const Symbols& symbols = *trace_.symbols;
    for (size_t i = 0; i < trace_.events.size(); ++i) {
      const Event& event = trace_.events[i];
      const auto key = std::tuple(event.thread, space_of(event.op()), event.object);
      const std::string object = printable(symbols.object(event));
      switch (event.op()) {
        case Op::acq:
        case Op::racq:
          open[key] = {event_lines_[i], fmt::format("lock {} is not released", object)};
          break;
        case Op::beg:
          open[key] = {event_lines_[i], fmt::format("unit {} does not end", object)};
          break;
        case Op::rel:
        case Op::rrel:
        case Op::end:
          open.erase(key);
          break;
        default:
          break;
      }
    }
    for (const auto& [key, left] : open) warn(left.line, left.what);
  }

  // Names in directives that nothing in the trace has are most likely mistyped.
  void warn_about_directives() {
    const std::vector<std::string> locations = all_names(Space::location);
    const std::vector<std::string> labels = all_names(Space::label);
    std::vector<std::string> sets = locations;
    for (const std::string& line : lines_) {
      const auto parsed = parse_tiddle_line(line);
      if (parsed->is_directive() && parsed->words[0] == "set") {
        sets.emplace_back(parsed->words[1]);
      }
    }
    for (const std::string& location : locations) {
      if (const size_t dot = location.find('.'); dot != std::string::npos) {
        sets.push_back(location.substr(0, dot));
      }
    }
    for (size_t i = 0; i < lines_.size(); ++i) {
      const auto parsed = parse_tiddle_line(lines_[i]);
      if (!parsed->is_directive()) continue;
      const bool is_set = parsed->words[0] == "set";
      if (!is_set) require(i + 1, "unit", parsed->words[1], labels);
      for (size_t word = 2; word < parsed->words.size(); ++word) {
        require(i + 1, is_set ? "location" : "set", parsed->words[word], is_set ? locations : sets);
      }
    }
  }

  void require(uint64_t line, std::string_view noun, std::string_view name,
               const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    warn(line,
         fmt::format("no event has the {} {}{}", noun, printable(name), did_you_mean(name, known)));
  }

  std::vector<std::string> all_names(Space space) const {
    std::vector<std::string> all;
    for (uint32_t i = 0; i < trace_.symbols->names(space).size(); ++i) {
      all.emplace_back(trace_.symbols->names(space)[i]);
    }
    return all;
  }

  const Options& options_;
  const TiddleText text_;
  const std::vector<std::string> lines_;
  Trace trace_;
  std::vector<uint64_t> event_lines_;
  uint64_t errors_ = 0;
  uint64_t warnings_ = 0;
};

Result<int> run(const Options& options) {
  Result<TiddleText> text = read_tiddle(options.path);
  if (!text) return tl::unexpected(text.error());
  return Check(options, std::move(*text)).run();
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("TRACE", options->path, "The Tiddle trace; - is standard input")->required();
  app.add_flag("--unnested", options->unnested,
               "Accept critical sections that overlap without nesting");
  return [options] { return run(*options); };
}

const CommandRegistration registration({
    .name = "tiddle check",
    .summary = "say everything that is wrong with a Tiddle trace",
    .examples = "  foretrace tiddle check race.tiddle\n"
                "  foretrace tiddle check - < race.tiddle",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
