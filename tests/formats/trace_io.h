// What tests need to read and write traces in memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/format.h"
#include "trace/stream.h"

namespace foretrace::testing {

// Reads and checks `bytes`. The format is found by content if it is not named.
Result<Trace> read_trace(std::string bytes, std::string_view format = {},
                         const WellFormedOptions& options = {});

// What a reader makes of `bytes` before any check, and what it has to say.
struct RawTrace {
  std::shared_ptr<const Symbols> symbols;
  std::vector<Event> events;
  std::vector<int64_t> big_values;
  std::vector<uint64_t> lines;
  std::vector<std::string> notes;
  std::string error;  // "" if it was read to its end

  EventBatch batch() const { return {0, events, big_values}; }
};
RawTrace read_raw(std::string bytes, std::string_view format = {});

// `batch` in the named format, and what was lost.
struct WrittenTrace {
  std::string bytes;
  std::vector<std::string> losses;
  std::string error;  // "" if all went well
};
WrittenTrace write_trace(const EventBatch& batch, const Symbols& symbols, std::string_view format);

// An event as Tiddle has it, with the function of its site: "wr 1 x 5 @ a.c:3 main()".
std::string event_text(const EventBatch& batch, const Event& event, const Symbols& symbols);
// All events but those that mean nothing.
std::vector<std::string> event_texts(const EventBatch& batch, const Symbols& symbols);
std::vector<std::string> event_texts(const Trace& trace);
std::vector<std::string> event_texts(const RawTrace& trace);

// "set NAME LOC…" and "unit LABEL SET…", in the order of the trace.
std::vector<std::string> declaration_texts(const Symbols& symbols);

// The content of a file.
std::string file_bytes(const std::string& path);

}  // namespace foretrace::testing
