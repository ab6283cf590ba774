#include "formats/trace_io.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace foretrace::testing {

Result<Trace> read_trace(std::string bytes, std::string_view format,
                         const WellFormedOptions& options) {
  Result<std::unique_ptr<ByteSource>> source = memory_input("trace", std::move(bytes));
  if (!source) return tl::unexpected(source.error());
  Result<std::unique_ptr<TraceReader>> reader = open_trace(std::move(*source), format);
  if (!reader) return tl::unexpected(reader.error());
  StreamOptions stream;
  stream.well_formed = options;
  return load_trace(std::move(*reader), stream);
}

RawTrace read_raw(std::string bytes, std::string_view format) {
  RawTrace trace;
  trace.symbols = std::make_shared<Symbols>();
  Result<std::unique_ptr<ByteSource>> source = memory_input("trace", std::move(bytes));
  if (!source) {
    trace.error = source.error().message;
    return trace;
  }
  const Result<std::unique_ptr<TraceReader>> reader = open_trace(std::move(*source), format);
  if (!reader) {
    trace.error = reader.error().message;
    return trace;
  }
  trace.symbols = (*reader)->shared_symbols();
  EventBuffer buffer;
  for (;;) {
    const Result<void> done = (*reader)->read(buffer);
    if (!done) trace.error = done.error().message;
    if (!done || buffer.events.empty()) break;
    EXPECT_EQ(buffer.first_index, trace.events.size());
    for (Event event : buffer.events) {
      if (event.big_value != 0) event.value += static_cast<int32_t>(trace.big_values.size());
      trace.events.push_back(event);
    }
    trace.big_values.insert(trace.big_values.end(), buffer.big_values.begin(),
                            buffer.big_values.end());
    trace.lines.insert(trace.lines.end(), buffer.lines.begin(), buffer.lines.end());
  }
  trace.notes = (*reader)->notes();
  return trace;
}

WrittenTrace write_trace(const EventBatch& batch, const Symbols& symbols, std::string_view format) {
  WrittenTrace written;
  const std::unique_ptr<ByteSink> sink = string_output(written.bytes);
  const std::unique_ptr<TraceWriter> writer = format_named(format).value()->writer(*sink, symbols);
  Result<void> done = writer->write(batch);
  if (done) done = writer->finish();
  if (!done) written.error = done.error().message;
  EXPECT_TRUE(sink->close());
  written.losses = writer->losses();
  return written;
}

std::string event_text(const EventBatch& batch, const Event& event, const Symbols& symbols) {
  std::string text = fmt::format("{} {} {}", name_of(event.op()), symbols.thread(event.thread),
                                 symbols.object(event));
  if (const std::optional<int64_t> value = batch.value_of(event))
    text += fmt::format(" {}", *value);
  if (event.site != kNoSite) text += " @ " + symbols.site_text(event.site);
  if (const std::string function = symbols.site_function(event.site); !function.empty()) {
    text += fmt::format(" {}()", function);
  }
  return text;
}

std::vector<std::string> event_texts(const EventBatch& batch, const Symbols& symbols) {
  std::vector<std::string> texts;
  for (const Event& event : batch.events) {
    if (event.op() != Op::skip) texts.push_back(event_text(batch, event, symbols));
  }
  return texts;
}

std::vector<std::string> event_texts(const Trace& trace) {
  return event_texts(trace.batch(), *trace.symbols);
}

std::vector<std::string> event_texts(const RawTrace& trace) {
  return event_texts(trace.batch(), *trace.symbols);
}

std::vector<std::string> declaration_texts(const Symbols& symbols) {
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < symbols.sets.size(); ++i) {
    texts.push_back("set " + symbols.sets[i].name);
    for (const std::string& location : symbols.sets[i].locations) texts.back() += " " + location;
  }
  for (uint32_t i = 0; i < symbols.units.size(); ++i) {
    texts.push_back("unit " + symbols.units[i].label);
    for (const std::string& set : symbols.units[i].sets) texts.back() += " " + set;
  }
  return texts;
}

std::string file_bytes(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

}  // namespace foretrace::testing
