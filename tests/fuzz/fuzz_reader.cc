// A libFuzzer target: any bytes are read without a fault, what was read is
// written and read again as the same, and what the check lets through is
// accepted by the reader of each format it is written in.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "right_checksums.h"
#include "trace/format.h"
#include "trace/stream.h"

namespace foretrace {
namespace {

constexpr std::string_view kFormat = FORETRACE_FUZZ_FORMAT;

void require(bool holds, const char* what, const std::string& detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s %s\n", what, detail.c_str());
  std::abort();
}

struct Read {
  std::shared_ptr<const Symbols> symbols;
  std::vector<Event> events;  // those that mean something
  std::vector<std::optional<int64_t>> values;
  std::string error;
};

// `checker_options`: null for what the reader gives, unchecked.
Read read(std::string bytes, std::string_view format, const WellFormedOptions* checker_options) {
  Read read;
  Result<std::unique_ptr<ByteSource>> source = memory_input("fuzz", std::move(bytes));
  if (!source) return {nullptr, {}, {}, source.error().message};
  const Result<std::unique_ptr<TraceReader>> reader = open_trace(std::move(*source), format);
  if (!reader) return {nullptr, {}, {}, reader.error().message};
  read.symbols = (*reader)->shared_symbols();
  WellFormed checker(*read.symbols, "fuzz",
                     checker_options ? *checker_options : WellFormedOptions());
  EventBuffer buffer;
  for (;;) {
    Result<void> done = (*reader)->read(buffer);
    if (done && checker_options != nullptr) done = checker.check(buffer);
    if (!done) read.error = done.error().message;
    if (!done || buffer.events.empty()) break;
    for (const Event& event : buffer.events) {
      if (event.op() == Op::skip) continue;
      read.events.push_back(event);
      read.values.push_back(buffer.batch().value_of(event));
    }
  }
  require(read.error.find('\n') == std::string::npos, "an error is one line:", read.error);
  for (const std::string& note : (*reader)->notes()) {
    require(note.find('\n') == std::string::npos, "a note is one line:", note);
  }
  return read;
}

// The bytes of `trace` in the named format; nothing if it refuses the trace.
std::optional<std::string> write(const Read& trace, std::string_view format) {
  EventBuffer buffer;
  buffer.events = trace.events;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.values[i]) buffer.set_value(buffer.events[i], *trace.values[i]);
  }
  std::string bytes;
  const std::unique_ptr<ByteSink> sink = string_output(bytes);
  const std::unique_ptr<TraceWriter> writer =
      (*format_named(format))->writer(*sink, *trace.symbols);
  if (!writer->write(buffer.batch()) || !writer->finish()) return std::nullopt;
  require(sink->close().has_value(), "memory can be written");
  return bytes;
}

void require_equal_ftr(const Read& one) {
  const Read two = read(write(one, "ftr").value(), "ftr", nullptr);
  require(two.error.empty(), "what was written as ftr is read:", two.error);
  require(one.events.size() == two.events.size(), "ftr keeps all events");
  for (size_t i = 0; i < one.events.size(); ++i) {
    const Event& a = one.events[i];
    const Event& b = two.events[i];
    require(a.op() == b.op() && a.thread == b.thread && a.object == b.object && a.site == b.site,
            "ftr keeps numbers");
    require(one.values[i] == two.values[i], "ftr keeps values");
    require(one.symbols->thread(a.thread) == two.symbols->thread(b.thread) &&
                one.symbols->object(a) == two.symbols->object(b) &&
                one.symbols->site_text(a.site) == two.symbols->site_text(b.site),
            "ftr keeps names");
  }
  require(one.symbols->sets.size() == two.symbols->sets.size() &&
              one.symbols->units.size() == two.symbols->units.size(),
          "ftr keeps directives");
}

// Tiddle may change names, but keeps different ones different.
void require_same_shape_tiddle(const Read& one) {
  const std::string bytes = write(one, "tiddle").value();
  if (bytes.empty()) return;
  const Read two = read(bytes, "tiddle", nullptr);
  require(two.error.empty(), "what was written as tiddle is read:", two.error);
  require(one.events.size() == two.events.size(), "tiddle keeps all events");
  std::map<std::pair<Space, uint32_t>, uint32_t> there;
  std::map<std::pair<Space, uint32_t>, uint32_t> back;
  const auto require_pair = [&](Space space, uint32_t a, uint32_t b) {
    require(there.try_emplace({space, a}, b).first->second == b &&
                back.try_emplace({space, b}, a).first->second == a,
            "tiddle keeps names apart:", bytes);
  };
  for (size_t i = 0; i < one.events.size(); ++i) {
    const Event& a = one.events[i];
    const Event& b = two.events[i];
    require(a.op() == b.op() && one.values[i] == two.values[i], "tiddle keeps operations");
    require_pair(Space::thread, a.thread, b.thread);
    require_pair(space_of(a.op()), a.object, b.object);
  }
}

void require_accepted(const Read& trace, std::string_view format) {
  const std::optional<std::string> bytes = write(trace, format);
  if (!bytes || bytes->empty()) return;
  // A wait on an outer lock becomes a release that does not nest.
  const WellFormedOptions strict = {.lenient = false, .unnested = true};
  const Read again = read(*bytes, format, &strict);
  require(again.error.empty(), "what was written is accepted:", again.error + "\n" + *bytes);
}

void run(const std::string& bytes) {
  const Read raw = read(bytes, kFormat, nullptr);
  if (raw.symbols == nullptr) return;
  require_equal_ftr(raw);
  require_same_shape_tiddle(raw);
  const WellFormedOptions strict;
  const WellFormedOptions lenient = {.lenient = true, .unnested = false};
  (void)read(bytes, kFormat, &strict);
  const Read checked = read(bytes, kFormat, &lenient);
  require(checked.error == raw.error, "only the reader fails leniently:", checked.error);
  for (const Format& format : formats()) require_accepted(checked, format.name);
}

}  // namespace
}  // namespace foretrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  foretrace::run(bytes);
  if (foretrace::kFormat == "ftr") foretrace::run(foretrace::with_right_checksums(bytes));
  return 0;
}
