// The report of `foretrace info` for people.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/info_report.h"
#include "cli/table.h"
#include "cli/trace_picture.h"

namespace foretrace {
namespace {

constexpr size_t kPictureThreads = 16;
constexpr size_t kNameWidth = 40;

std::string percent(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f}%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string bar(uint64_t part, uint64_t whole) {
  constexpr double kWidth = 24;
  const auto full = static_cast<size_t>(
      std::round(static_cast<double>(part) / static_cast<double>(whole) * kWidth));
  std::string text;
  for (size_t i = 0; i < full; ++i) text += "█";
  return text.empty() ? "▏" : text;
}

// "Locks, by acquires: 10 of 50"
std::string heading(std::string_view title, size_t shown, size_t all) {
  if (shown == all) return fmt::format("\n{}\n", title);
  return fmt::format("\n{}: {} of {}\n", title, with_commas(shown), with_commas(all));
}

std::string summary(const InfoReport& report) {
  const Symbols& symbols = report.symbols;
  const TraceStatistics& statistics = report.statistics;
  std::string text = fmt::format("{}\n  {} by {}, on {} and {}\n", report.source,
                                 counted(statistics.event_count(), "event"),
                                 counted(symbols.names(Space::thread).size(), "thread"),
                                 counted(symbols.names(Space::location).size(), "location"),
                                 counted(symbols.names(Space::lock).size(), "lock"));
  if (statistics.count(Op::beg) > 0) {
    text += fmt::format("  {} with {}\n", counted(statistics.count(Op::beg), "unit"),
                        counted(symbols.names(Space::label).size(), "label"));
  }
  const uint32_t sites = symbols.sites.size() - 1;
  if (sites > 0) text += fmt::format("  {}\n", counted(sites, "site"));
  if (statistics.count(Op::skip) > 0) {
    text += fmt::format("  {} filtered or dropped, not counted below\n",
                        counted(statistics.count(Op::skip), "event"));
  }
  const auto deepest = [&](std::string_view what, const Depth& depth) {
    if (depth.depth == 0) return;
    text += fmt::format("  {} nest {} deep, first in thread {} at event {}\n", what,
                        with_commas(depth.depth), printable(symbols.thread(depth.thread)),
                        with_commas(depth.index));
  };
  deepest("critical sections", statistics.deepest_locks());
  deepest("units", statistics.deepest_units());
  return text;
}

std::string operations(const TraceStatistics& statistics) {
  std::vector<Op> used;
  uint64_t most = 0;
  for (size_t op = 1; op < kOpCount; ++op) {
    const uint64_t count = statistics.count(static_cast<Op>(op));
    if (count > 0) used.push_back(static_cast<Op>(op));
    most = std::max(most, count);
  }
  if (used.empty()) return {};
  std::stable_sort(used.begin(), used.end(),
                   [&](Op a, Op b) { return statistics.count(a) > statistics.count(b); });
  Table table({{"operation"}, {"events", true}, {"share", true}, {""}});
  for (const Op op : used) {
    const uint64_t count = statistics.count(op);
    table.add({std::string(name_of(op)), with_commas(count),
               percent(count, statistics.event_count()), bar(count, most)});
  }
  return "\nOperations\n" + table.text();
}

std::string change_text(const std::optional<ThreadStatistics::Change>& change,
                        const Symbols& symbols, std::string_view otherwise) {
  if (!change) return std::string(otherwise);
  return fmt::format("event {} by {}", with_commas(change->index),
                     printable(symbols.thread(change->by), kNameWidth));
}

std::string threads(const InfoReport& report) {
  const TraceStatistics& statistics = report.statistics;
  const std::vector<ThreadId> busiest = busiest_threads(statistics, report.top);
  if (busiest.empty()) return {};
  Table table({{"thread"}, {"events", true}, {"share", true}, {"forked"}, {"joined"}});
  for (const ThreadId id : busiest) {
    const ThreadStatistics& thread = statistics.threads()[id];
    table.add({printable(report.symbols.thread(id), kNameWidth), with_commas(thread.events),
               percent(thread.events, statistics.event_count()),
               change_text(thread.forked, report.symbols, "there from the start"),
               change_text(thread.joined, report.symbols, "never")});
  }
  return heading("Threads, busiest first", busiest.size(), statistics.threads().size()) +
         table.text();
}

std::string thread_count(const ThreadSets& sets, uint32_t object) {
  return (sets.complete() ? "" : "≥") + with_commas(sets.count(object));
}

std::string locks(const InfoReport& report) {
  const TraceStatistics& statistics = report.statistics;
  const std::vector<LockId> busiest = busiest_locks(statistics, report.top);
  if (busiest.empty()) return {};
  Table table({{"lock"},
               {"acquires", true},
               {"threads", true},
               {"contended", true},
               {"share", true},
               {"longest hold", true}});
  for (const LockId id : busiest) {
    const LockStatistics& lock = statistics.locks()[id];
    table.add({printable(report.symbols.lock(id), kNameWidth), with_commas(lock.acquires),
               thread_count(statistics.lock_threads(), id), with_commas(lock.contended),
               percent(lock.contended, lock.acquires), counted(lock.longest_hold, "event")});
  }
  return heading("Locks, most acquired first", busiest.size(), statistics.locks().size()) +
         table.text() + "  (contended: the previous holder was another thread)\n";
}

std::string locations(const InfoReport& report) {
  const TraceStatistics& statistics = report.statistics;
  const std::vector<LocationId> hottest = hottest_locations(statistics, report.top);
  if (hottest.empty()) return {};
  Table table({{"location"}, {"reads", true}, {"writes", true}, {"threads", true}});
  for (const LocationId id : hottest) {
    const LocationStatistics& location = statistics.locations()[id];
    table.add({printable(report.symbols.location(id), kNameWidth), with_commas(location.reads),
               with_commas(location.writes), thread_count(statistics.location_threads(), id)});
  }
  return heading("Locations, hottest first", hottest.size(), statistics.locations().size()) +
         table.text();
}

std::string picture(const InfoReport& report) {
  const std::vector<ThreadId> busiest = busiest_threads(report.statistics, SIZE_MAX);
  if (busiest.empty()) return {};
  const size_t shown = std::min(busiest.size(), kPictureThreads);
  std::vector<ThreadId> rows(busiest.begin(), busiest.begin() + static_cast<std::ptrdiff_t>(shown));
  std::sort(rows.begin(), rows.end());
  std::string text = "\nWhat each thread did, from left to right\n" +
                     draw_threads(report.statistics, report.symbols, rows);
  if (shown == busiest.size()) return text;
  uint64_t events = 0;
  for (size_t i = shown; i < busiest.size(); ++i) {
    events += report.statistics.threads()[busiest[i]].events;
  }
  const size_t others = busiest.size() - shown;
  return text + fmt::format("  Not shown: {} with {} in all\n", counted(others, "less busy thread"),
                            counted(events, "event"));
}

}  // namespace

std::string info_text(const InfoReport& report) {
  return summary(report) + operations(report.statistics) + threads(report) + locks(report) +
         locations(report) + picture(report);
}

}  // namespace foretrace
