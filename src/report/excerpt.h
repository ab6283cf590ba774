// The few events of a trace that explain a finding, to be drawn in columns, one
// per thread, as the figures of paper 000 are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "findings/finding.h"
#include "trace/stream.h"

namespace foretrace {

struct ExcerptRow {
  uint64_t index = 0;
  size_t column = 0;   // which thread
  std::string text;    // "acq(l)"
  bool marked = false;  // an event of the finding
};

struct Excerpt {
  std::vector<std::string> threads;
  std::vector<ExcerptRow> rows;  // by index
};

// How many findings get a picture; a reader will not look at more.
inline constexpr size_t kMaxExcerpts = 100;

// "w(x)", "acq(l)": an event in the notation of paper 000.
std::string event_text(const Symbols& symbols, const Event& event);

// Goes through the trace once more and collects, for each of the first findings,
// its events and what their threads did to synchronise around them. A trace of a
// few events is taken whole.
Result<std::vector<Excerpt>> collect_excerpts(TraceStream& stream, uint64_t event_count,
                                              const std::vector<Finding>& findings);

}  // namespace foretrace
