#include "instrument/strided_parts.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "runtime/shadow.h"

namespace foretrace::instrument {
namespace {

// Where an access begins, from the first one of those that are compared.
struct Part {
  int64_t offset;
  size_t access;
};

// Accesses whose distance is known.
struct Row {
  const llvm::SCEV* base;
  std::vector<Part> parts;
};

void add_to_row(std::vector<Row>& rows, const LoopRange& range, size_t access, LoopRanges& ranges) {
  for (Row& row : rows) {
    if (const std::optional<int64_t> offset = ranges.distance(*row.base, *range.first)) {
      return row.parts.push_back({*offset, access});
    }
  }
  rows.push_back({range.first, {{0, access}}});
}

void split(Row& row, const std::vector<Access>& accesses, std::vector<StridedParts>& found) {
  std::stable_sort(row.parts.begin(), row.parts.end(),
                   [](const Part& a, const Part& b) { return a.offset < b.offset; });
  int64_t end = 0;  // of the parts before
  bool is_first = true;
  for (const Part& part : row.parts) {
    const uint64_t bytes = accesses[part.access].bytes;
    if (is_first || part.offset != end || found.back().bytes + bytes > runtime::kGranuleBytes) {
      found.push_back({{}, 0});
    }
    found.back().members.push_back(part.access);
    found.back().bytes += bytes;
    end = part.offset + static_cast<int64_t>(bytes);
    is_first = false;
  }
}

}  // namespace

std::vector<StridedParts> join_strided(const std::vector<Access>& accesses, bool write,
                                       LoopRanges& ranges) {
  // By their own loop and the one they count for, step, rounds, and what the address starts from;
  // in the order of the program.
  using Key = std::tuple<const llvm::Loop*, const llvm::Loop*, const llvm::SCEV*, const llvm::SCEV*,
                         const llvm::SCEV*>;
  std::map<Key, size_t> numbers;
  std::vector<std::vector<Row>> alike;
  for (size_t i = 0; i < accesses.size(); ++i) {
    const std::optional<LoopRange>& range = accesses[i].range;
    if (!range || range->step == nullptr || accesses[i].write != write) continue;
    const Key key = {ranges.loop_of(*accesses[i].instruction), range->loop, range->step,
                     range->rounds, ranges.base_of(*range->first)};
    const auto [known, is_new] = numbers.try_emplace(key, alike.size());
    if (is_new) alike.emplace_back();
    add_to_row(alike[known->second], *range, i, ranges);
  }
  std::vector<StridedParts> found;
  for (std::vector<Row>& rows : alike) {
    for (Row& row : rows) split(row, accesses, found);
  }
  return found;
}

}  // namespace foretrace::instrument
