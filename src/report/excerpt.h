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
  uint64_t index = 0;     // of the event, in the trace
  uint64_t position = 0;  // of the row, in the order that is shown
  size_t column = 0;      // which thread
  std::string text;       // "acq(l)"
  std::string site;       // "bank.cpp:41"; empty if not known
  bool marked = false;    // an event of the finding
};

struct Excerpt {
  std::vector<std::string> threads;
  std::vector<ExcerptRow> rows;  // by position
};

// How many findings get a picture; a reader will not look at more.
inline constexpr size_t kMaxExcerpts = 100;

// "w(x)", "acq(l)": an event in the notation of paper 000.
std::string event_text(const Symbols& symbols, const Event& event);

// The same events in the order of the finding's witness, and at its end those
// that are next; empty if it has none.
Excerpt witness_excerpt(const Excerpt& observed, const Finding& finding);

// Goes through the trace once more and collects, for each of the first findings,
// its events and what their threads did to synchronise around them. A trace of a
// few events is taken whole.
Result<std::vector<Excerpt>> collect_excerpts(TraceStream& stream, uint64_t event_count,
                                              const std::vector<Finding>& findings);

}  // namespace foretrace
