#include "cli/trace_picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace foretrace {
namespace {

constexpr uint32_t kColumns = 64;
constexpr size_t kNameWidth = 12;

constexpr std::array<std::string_view, 4> kFree = {"▁", "▃", "▅", "▇"};
constexpr std::array<std::string_view, 4> kLocked = {"░", "▒", "▓", "█"};
constexpr std::string_view kIdle = "·";
constexpr std::string_view kHolding = "─";
constexpr std::string_view kWaiting = "~";
constexpr std::string_view kAbsent = " ";
constexpr std::string_view kEnded = "╳";

constexpr std::string_view kLegend =
    "  ▁▃▅▇ few to many events    ░▒▓█ the same, mostly while holding a lock\n"
    "  ·    idle                  ─    idle while holding a lock\n"
    "  ~    waiting               ╳    ended (blank: not there yet, or no longer)\n";

// A thread's part of the events of a column.
double activity(const TraceStatistics& statistics, const Timeline::Cell& cell, uint32_t column) {
  const uint64_t end = statistics.event_count();
  const Timeline& timeline = statistics.timeline();
  const uint64_t width = timeline.column_start(column + 1, end, kColumns) -
                         timeline.column_start(column, end, kColumns);
  return static_cast<double>(cell.events) / static_cast<double>(width);
}

std::string_view glyph(const Timeline::Cell& cell, double relative_activity) {
  if (cell.events > 0) {
    // The root, so that a thread that has few events beside a busy one shows.
    const auto level = std::min<size_t>(3, static_cast<size_t>(std::sqrt(relative_activity) * 4));
    return 2 * uint64_t{cell.locked} > cell.events ? kLocked[level] : kFree[level];
  }
  switch (cell.state) {
    case Timeline::State::idle:
      break;
    case Timeline::State::holding:
      return kHolding;
    case Timeline::State::waiting:
      return kWaiting;
  }
  return kIdle;
}

std::string axis(const TraceStatistics& statistics, size_t name_width) {
  const uint32_t columns = statistics.timeline().column_count(statistics.event_count(), kColumns);
  const std::string last = with_commas(statistics.event_count() - 1);
  std::string line = "  " + padded("event", name_width) + "  0";
  if (columns > last.size() + 1) line += std::string(columns - last.size() - 1, ' ') + last;
  return line + '\n';
}

class Picture {
 public:
  Picture(const TraceStatistics& statistics, const std::vector<ThreadId>& threads)
      : statistics_(statistics) {
    for (const ThreadId thread : threads) {
      rows_.push_back(statistics.timeline().row(thread, statistics.event_count(), kColumns));
      for (uint32_t column = 0; column < rows_.back().size(); ++column) {
        busiest_ = std::max(busiest_, activity(statistics, rows_.back()[column].cell, column));
      }
    }
  }

  std::string line(size_t row, ThreadId thread) const {
    const bool from_the_start = !statistics_.threads()[thread].forked;
    std::string text;
    bool ended = false;
    for (uint32_t column = 0; column < rows_[row].size(); ++column) {
      const auto& [cell, life] = rows_[row][column];
      if (life == Timeline::Life::before) {
        text += from_the_start ? kIdle : kAbsent;
      } else if (life == Timeline::Life::after && cell.state == Timeline::State::idle) {
        text += ended ? kAbsent : kEnded;
        ended = true;
      } else {
        text += glyph(cell, activity(statistics_, cell, column) / busiest_);
      }
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

 private:
  const TraceStatistics& statistics_;
  std::vector<std::vector<Timeline::Stretch>> rows_;
  double busiest_ = 0;  // the greatest activity in the picture
};

}  // namespace

std::string draw_threads(const TraceStatistics& statistics, const Symbols& symbols,
                         const std::vector<ThreadId>& threads) {
  if (statistics.event_count() == 0) return {};
  size_t name_width = std::string_view("event").size();
  std::vector<std::string> names;
  for (const ThreadId thread : threads) {
    names.push_back(printable(symbols.thread(thread), kNameWidth));
    name_width = std::max(name_width, display_width(names.back()));
  }
  std::string text = axis(statistics, name_width);
  const Picture picture(statistics, threads);
  for (size_t i = 0; i < threads.size(); ++i) {
    text += "  " + padded(names[i], name_width) + "  " + picture.line(i, threads[i]) + '\n';
  }
  return text + '\n' + std::string(kLegend);
}

}  // namespace foretrace
