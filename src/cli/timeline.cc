#include "cli/timeline.h"

#include <algorithm>

namespace foretrace {
namespace {

uint32_t saturating_sum(uint32_t a, uint32_t b) { return a > UINT32_MAX - b ? UINT32_MAX : a + b; }

}  // namespace

void Timeline::extend(Row& row, uint32_t bin) {
  if (row.cells.empty()) row.first = bin;
  row.cells.resize(bin - row.first, Cell{.state = row.state});
  row.cells.push_back(Cell{.state = row.state});
}

void Timeline::merge(Cell& into, const Cell& cell) {
  into.events = saturating_sum(into.events, cell.events);
  into.locked = saturating_sum(into.locked, cell.locked);
  into.state = std::max(into.state, cell.state);
}

void Timeline::widen() {
  ++shift_;
  for (Row& row : rows_) {
    if (row.cells.empty()) continue;
    std::vector<Cell> wide;
    wide.reserve(row.cells.size() / 2 + 1);
    for (size_t i = 0; i < row.cells.size(); ++i) {
      const bool joins = (row.first + i) % 2 == 1 && !wide.empty();
      if (joins) {
        merge(wide.back(), row.cells[i]);
      } else {
        wide.push_back(row.cells[i]);
      }
    }
    row.cells = std::move(wide);
    row.first /= 2;
  }
}

uint32_t Timeline::used_bins(uint64_t end) const {
  return end == 0 ? 0 : static_cast<uint32_t>(std::min<uint64_t>(kBins, ((end - 1) >> shift_) + 1));
}

uint32_t Timeline::column_count(uint64_t end, uint32_t columns) const {
  return std::min(columns, used_bins(end));
}

uint64_t Timeline::column_start(uint32_t column, uint64_t end, uint32_t columns) const {
  const uint32_t count = column_count(end, columns);
  if (column >= count) return end;
  return uint64_t{column * used_bins(end) / count} << shift_;
}

std::vector<Timeline::Stretch> Timeline::row(ThreadId thread, uint64_t end,
                                             uint32_t columns) const {
  static const Row kEmpty;
  const Row& row = thread < rows_.size() ? rows_[thread] : kEmpty;
  const uint32_t count = column_count(end, columns);
  const uint32_t bins = used_bins(end);
  const auto last = static_cast<uint32_t>(row.first + row.cells.size());
  std::vector<Stretch> stretches;
  for (uint32_t column = 0; column < count; ++column) {
    const uint32_t first_bin = column * bins / count;
    const uint32_t end_bin = (column + 1) * bins / count;
    Stretch stretch = {{.state = State::idle}, Life::during};
    if (end_bin <= row.first) stretch.life = Life::before;
    if (first_bin >= last) stretch = {{.state = row.state}, Life::after};
    for (uint32_t bin = std::max(first_bin, row.first); bin < std::min(end_bin, last); ++bin) {
      merge(stretch.cell, row.cells[bin - row.first]);
    }
    stretches.push_back(stretch);
  }
  return stretches;
}

}  // namespace foretrace
