// foretrace view: a trace as a timeline, in a browser.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/progress.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/trace_options.h"
#include "cli/trace_statistics.h"
#include "findings/finding_json.h"
#include "report/chrome.h"
#include "report/page.h"

namespace foretrace {
namespace {

using Json = nlohmann::ordered_json;

// So many events stand in a page one by one; of a longer trace, a part of it.
constexpr uint64_t kMostEvents = 500'000;

struct Options {
  TraceOptions trace;
  std::string output;
  std::string format = "html";
  uint64_t from = 0;
  uint64_t to = 0;  // 0: the end, or as far as the page goes
};

template <typename Take>
Result<void> read_all(TraceStream& stream, Take take) {
  Progress progress("reading " + stream.source_name());
  for (;;) {
    const Result<EventBatch> batch = stream.next();
    if (!batch) return tl::unexpected(batch.error());
    if (batch->events.empty()) return {};
    take(*batch);
    progress.update(stream.progress(), stream.event_count());
  }
}

// The events from `from` on, before `to`.
void take_part(EventTable& table, const EventBatch& batch, uint64_t from, uint64_t to) {
  for (size_t i = 0; i < batch.events.size(); ++i) {
    const uint64_t index = batch.first_index + i;
    if (index >= from && index < to) table.add(index, batch.events[i], batch);
  }
}

// Of each thread, what it did over the whole trace: events, how many of them
// under a lock, and what it did between them, column by column.
Json overview_json(const TraceStatistics& statistics, const Symbols& symbols) {
  const uint64_t end = statistics.event_count();
  const Timeline& timeline = statistics.timeline();
  Json threads = Json::array();
  for (ThreadId id = 0; id < statistics.threads().size(); ++id) {
    Json cells = Json::array();
    for (const Timeline::Stretch& stretch : timeline.row(id, end, Timeline::kBins)) {
      cells.push_back({stretch.cell.events, stretch.cell.locked,
                       static_cast<int>(stretch.cell.state), static_cast<int>(stretch.life)});
    }
    threads.push_back({std::string(symbols.thread(id)), std::move(cells)});
  }
  const uint32_t columns = timeline.column_count(end, Timeline::kBins);
  Json starts = Json::array();
  for (uint32_t column = 0; column < columns; ++column) {
    starts.push_back(timeline.column_start(column, end, Timeline::kBins));
  }
  return {{"starts", std::move(starts)}, {"threads", std::move(threads)}};
}

class View {
 public:
  View(TraceStream& stream, const Options& options) : stream_(stream), options_(options) {}

  Result<void> write_chrome(ByteSink& sink) {
    ChromeWriter writer(sink, stream_.symbols());
    writer.begin();
    const Result<void> done =
        read_all(stream_, [&](const EventBatch& batch) { writer.process(batch); });
    writer.end();
    return done;
  }

  Result<void> write_page(ByteSink& sink) {
    const uint64_t last = options_.from + kMostEvents;
    const uint64_t to = options_.to == 0 ? last : std::min(options_.to, last);
    TraceStatistics statistics(stream_.symbols());
    EventTable table;
    table.symbols = stream_.shared_symbols();
    Result<void> done = read_all(stream_, [&](const EventBatch& batch) {
      statistics.process(batch);
      take_part(table, batch, options_.from, to);
    });
    if (!done) return done;
    const uint64_t count = stream_.event_count();
    if (options_.from > count) {
      return fail("--from {} is behind the end of the trace, which has {}",
                  with_commas(options_.from), counted(count, "event"));
    }
    const uint64_t wanted = options_.to == 0 ? count : std::min(options_.to, count);
    if (wanted > to) {
      fmt::print(stderr,
                 "foretrace: single events from {} to {} only, the rest as an overview "
                 "(--from and --to choose others)\n",
                 with_commas(options_.from), with_commas(to));
    }
    write_data(sink, statistics, table, std::min(to, count));
    return {};
  }

 private:
  void write_data(ByteSink& sink, const TraceStatistics& statistics, const EventTable& table,
                  uint64_t to) const {
    const Symbols& symbols = stream_.symbols();
    PageWriter page(sink);
    page.begin();
    page.raw(dumped({{"view", "timeline"},
                     {"version", FORETRACE_VERSION},
                     {"trace",
                      {{"source", stream_.source_name()},
                       {"events", stream_.event_count()},
                       {"threads", symbols.names(Space::thread).size()},
                       {"locations", symbols.names(Space::location).size()},
                       {"locks", symbols.names(Space::lock).size()}}},
                     {"from", options_.from},
                     {"to", to},
                     {"overview", overview_json(statistics, symbols)},
                     {"events", table_json(table)}}));
    page.end();
  }

  TraceStream& stream_;
  const Options& options_;
};

Result<int> run(Options options) {
  if (options.to != 0 && options.to <= options.from) return fail("--to must be after --from");
  const bool chrome = options.format == "chrome";
  if (!chrome && !why_no_page().empty()) return fail("{}", why_no_page());
  if (options.output.empty()) options.output = chrome ? "view.json" : "view.html";
  Result<std::unique_ptr<TraceStream>> stream =
      TraceStream::open(options.trace.path, options.trace.stream);
  if (!stream) return tl::unexpected(stream.error());
  Result<std::unique_ptr<ByteSink>> sink = open_output(options.output);
  if (!sink) return tl::unexpected(sink.error());
  View view(**stream, options);
  Result<void> done = chrome ? view.write_chrome(**sink) : view.write_page(**sink);
  if (done) done = (*sink)->close();
  if (!done) return tl::unexpected(done.error());
  print_notes(**stream);
  if (options.output != "-") {
    fmt::print(stderr, "foretrace: wrote {}{}\n", options.output,
               chrome ? "; open it in Perfetto's UI (ui.perfetto.dev) or chrome://tracing"
                      : "; open it in a browser");
  }
  return kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  add_trace_options(app, options->trace);
  app.add_option("-o,--output", options->output,
                 "The file to write (default: view.html, or view.json for chrome); - is standard "
                 "output")
      ->type_name("FILE");
  add_choice(app, "--format", options->format, {"html", "chrome"},
             "A page of its own, or what Perfetto's UI opens");
  add_count(app, "--from", options->from, "The first event that the page shows one by one");
  add_count(app, "--to", options->to,
            "The event before which it stops; 0: the end, but at most 500,000 events");
  return [options] { return run(*options); };
}

const CommandRegistration registration({
    .name = "view",
    .summary = "draw a trace as a timeline, to zoom and search in a browser",
    .examples = "  foretrace view run.ftr -o view.html\n"
                "  foretrace view long.ftr --from 2M --to 2.4M\n"
                "  foretrace view run.ftr --format chrome -o run.json   # for Perfetto's UI\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
