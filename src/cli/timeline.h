// What each thread did over time, in bins: time is the index of events.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/event.h"

namespace foretrace {

// Memory is bounded by the number of threads: when the trace outgrows the bins,
// each becomes twice as wide.
class Timeline {
 public:
  static constexpr uint32_t kBins = 128;

  // What a thread does between two of its events.
  enum class State : uint8_t { idle, holding, waiting };

  struct Cell {
    uint32_t events = 0;
    uint32_t locked = 0;        // of these, while a lock was held
    State state = State::idle;  // where there are no events
  };

  // The thread exists from here on (it is forked).
  void start(ThreadId thread, uint64_t index) { row_at(thread, index); }

  // The thread is joined: whatever it was doing, it does no more.
  void end(ThreadId thread) {
    if (thread < rows_.size()) rows_[thread].state = State::idle;
  }

  // An event of the thread; afterwards the thread is in state `after`.
  void record(ThreadId thread, uint64_t index, bool locked, State after) {
    Row& row = row_at(thread, index);
    Cell& cell = row.cells.back();
    ++cell.events;
    cell.locked += locked ? 1 : 0;
    row.state = after;
  }

  // A stretch of a thread's time, for a picture.
  enum class Life : uint8_t { before, during, after };
  struct Stretch {
    Cell cell;
    Life life;
  };
  // The thread's time up to `end` (the length of the trace), cut into columns:
  // at most `columns`, fewer in a short trace.
  std::vector<Stretch> row(ThreadId thread, uint64_t end, uint32_t columns) const;

  // The event with which column `column` of so many begins.
  uint64_t column_start(uint32_t column, uint64_t end, uint32_t columns) const;
  uint32_t column_count(uint64_t end, uint32_t columns) const;

 private:
  struct Row {
    uint32_t first = 0;         // the bin of cells[0]
    State state = State::idle;  // after the last event
    std::vector<Cell> cells;    // up to the bin of the last event
  };

  // The thread's row, with the bin of `index` as its last one.
  Row& row_at(ThreadId thread, uint64_t index) {
    while ((index >> shift_) >= kBins) widen();
    if (thread >= rows_.size()) rows_.resize(thread + 1);
    Row& row = rows_[thread];
    const auto bin = static_cast<uint32_t>(index >> shift_);
    if (row.cells.empty() || row.first + row.cells.size() <= bin) extend(row, bin);
    return row;
  }
  static void extend(Row& row, uint32_t bin);
  void widen();
  uint32_t used_bins(uint64_t end) const;
  static void merge(Cell& into, const Cell& cell);

  uint32_t shift_ = 0;  // a bin is 2^shift_ events
  std::vector<Row> rows_;
};

}  // namespace foretrace
