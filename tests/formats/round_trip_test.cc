// Traces that go through a format and back.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats/trace_io.h"
#include "property/random_trace.h"
#include "trace/reacquires.h"

namespace foretrace::testing {
namespace {

RandomTraceOptions everything() {
  RandomTraceOptions options;
  options.threads = 5;
  options.values = true;
  options.sites = true;
  options.sets = true;
  return options;
}

// What is left of an event in a format that lacks something; "" for nothing.
struct Remains {
  std::string (*event)(const Trace& trace, const Event& event);
  std::string (*reacquire)(const Trace& trace, ThreadId thread, LockId lock);
};

std::vector<std::string> remains_of(const Trace& trace, const Remains& remains) {
  std::vector<std::string> texts;
  Reacquires reacquires;
  for (const Event& event : trace.events) {
    if (event.op() == Op::skip) continue;
    if (const std::optional<LockId> lock = reacquires.before(event)) {
      texts.push_back(remains.reacquire(trace, event.thread, *lock));
    }
    if (std::string text = remains.event(trace, event); !text.empty()) {
      texts.push_back(std::move(text));
    }
  }
  return texts;
}

// Reads back what was written, strictly: it must still be well-formed.
std::vector<std::string> through(const Trace& trace, std::string_view format) {
  const WrittenTrace written = write_trace(trace.batch(), *trace.symbols, format);
  RC_ASSERT(written.error == "");
  if (written.bytes.empty()) return {};
  const Result<Trace> again = read_trace(written.bytes, format);
  if (!again) RC_FAIL(again.error().message + "\n" + written.bytes);
  return event_texts(*again);
}

std::string site_of(const Trace& trace, const Event& event) {
  return event.site == kNoSite ? "" : " @ " + trace.symbols->site_text(event.site);
}

RC_GTEST_PROP(RoundTrip, TiddleIsTheSameText, ()) {
  const RandomTrace random = *random_trace(everything());
  const WrittenTrace written = write_trace(random.trace.batch(), *random.trace.symbols, "tiddle");
  RC_ASSERT(written.losses.empty());
  const Result<Trace> again = read_trace("#\n" + written.bytes, "tiddle");
  RC_ASSERT(again.has_value());
  RC_ASSERT(event_texts(*again) == event_texts(random.trace));
  RC_ASSERT(declaration_texts(*again->symbols) == declaration_texts(*random.trace.symbols));
}

RC_GTEST_PROP(RoundTrip, FtrKeepsEverything, ()) {
  const RandomTrace random = *random_trace(everything());
  const Trace& trace = random.trace;
  const WrittenTrace written = write_trace(trace.batch(), *trace.symbols, "ftr");
  RC_ASSERT(written.losses.empty());
  const Result<Trace> again = read_trace(written.bytes);
  RC_ASSERT(again.has_value());
  RC_ASSERT(event_texts(*again) == event_texts(trace));
  RC_ASSERT(declaration_texts(*again->symbols) == declaration_texts(*trace.symbols));
  // The numbers too, not only the names: `ftr` carries the tables as they are.
  for (size_t i = 0; i < trace.events.size(); ++i) {
    RC_ASSERT(again->events[i].object == trace.events[i].object);
    RC_ASSERT(again->events[i].resumes == trace.events[i].resumes);
  }
}

RC_GTEST_PROP(RoundTrip, TiddleAndFtrAgree, ()) {
  const RandomTrace random = *random_trace(everything());
  const WrittenTrace ftr = write_trace(random.trace.batch(), *random.trace.symbols, "ftr");
  const Result<Trace> from_ftr = read_trace(ftr.bytes);
  RC_ASSERT(from_ftr.has_value());
  const WrittenTrace one = write_trace(random.trace.batch(), *random.trace.symbols, "tiddle");
  const WrittenTrace two = write_trace(from_ftr->batch(), *from_ftr->symbols, "tiddle");
  RC_ASSERT(one.bytes == two.bytes);
}

RC_GTEST_PROP(RoundTrip, StdKeepsWhatItCarries, ()) {
  const RandomTrace random = *random_trace(everything());
  const Remains remains = {
      [](const Trace& trace, const Event& event) -> std::string {
        const Op op = event.op() == Op::wait ? Op::rel : event.op();
        if (op > Op::end || op == Op::racq || op == Op::rrel) return "";
        const std::string_view t = space_of(op) == Space::thread ? "T" : "";
        return fmt::format("{} T{} {}{}{}", name_of(op), trace.symbols->thread(event.thread), t,
                           trace.symbols->object(event), site_of(trace, event));
      },
      [](const Trace& trace, ThreadId thread, LockId lock) {
        return fmt::format("acq T{} {}", trace.symbols->thread(thread), trace.symbols->lock(lock));
      }};
  RC_ASSERT(through(random.trace, "std") == remains_of(random.trace, remains));
}

RC_GTEST_PROP(RoundTrip, RapidBinKeepsWhatItCarries, ()) {
  const RandomTrace random = *random_trace(everything());
  const Remains remains = {
      [](const Trace& trace, const Event& event) -> std::string {
        const Op op = event.op() == Op::wait ? Op::rel : event.op();
        if (op > Op::join || op == Op::racq || op == Op::rrel) return "";
        // Names like x have no number of their own and become the trace's.
        const std::string object =
            space_of(op) == Space::thread
                ? fmt::format("T{}", trace.symbols->thread(event.object))
                : fmt::format("{}{}", space_of(op) == Space::lock ? 'L' : 'V', event.object);
        const uint32_t line = trace.symbols->sites[event.site].line;
        return fmt::format("{} T{} {}{}", name_of(op), trace.symbols->thread(event.thread), object,
                           line == 0 ? "" : fmt::format(" @ {}", line));
      },
      [](const Trace& trace, ThreadId thread, LockId lock) {
        return fmt::format("acq T{} L{}", trace.symbols->thread(thread), lock);
      }};
  RC_ASSERT(through(random.trace, "rapidbin") == remains_of(random.trace, remains));
}

RC_GTEST_PROP(RoundTrip, RoadRunnerKeepsWhatItCarries, ()) {
  const RandomTrace random = *random_trace(everything());
  const Remains remains = {
      [](const Trace& trace, const Event& event) -> std::string {
        const Op op = event.op();
        if (op == Op::racq || op == Op::rrel || op == Op::vrmw || op > Op::barrier) return "";
        return fmt::format("{} {} {}{}", name_of(op), trace.symbols->thread(event.thread),
                           trace.symbols->object(event), site_of(trace, event));
      },
      [](const Trace& trace, ThreadId thread, LockId lock) {
        return fmt::format("acq {} {}", trace.symbols->thread(thread), trace.symbols->lock(lock));
      }};
  RC_ASSERT(through(random.trace, "roadrunner") == remains_of(random.trace, remains));
}

// A trace in each of these formats is recognised without its name.
RC_GTEST_PROP(RoundTrip, FormatsAreRecognised, ()) {
  const RandomTrace random = *random_trace();
  RC_PRE(!event_texts(random.trace).empty());
  for (const std::string_view format : {"tiddle", "ftr", "std", "rapidbin", "roadrunner"}) {
    const WrittenTrace written = write_trace(random.trace.batch(), *random.trace.symbols, format);
    if (written.bytes.empty()) continue;
    Result<std::unique_ptr<ByteSource>> source = memory_input("trace", written.bytes);
    const Result<std::unique_ptr<TraceReader>> by_content = open_trace(std::move(*source));
    if (!by_content) RC_FAIL(by_content.error().message);
    RC_ASSERT(event_texts(read_raw(written.bytes)) == event_texts(read_raw(written.bytes, format)));
  }
}

// Re-entrant acquires are gone after the check, so also from what is written.
RC_GTEST_PROP(RoundTrip, FilteredEventsAreNotWritten, ()) {
  RandomTraceOptions options;
  options.reentrant = true;
  const RandomTrace random = *random_trace(options);
  const WrittenTrace written = write_trace(random.trace.batch(), *random.trace.symbols, "ftr");
  const RawTrace again = read_raw(written.bytes);
  RC_ASSERT(again.error == "");
  RC_ASSERT(again.events.size() == event_texts(random.trace).size());
  const Result<Trace> checked = read_trace(written.bytes);
  RC_ASSERT(checked.has_value());
  RC_ASSERT(event_texts(*checked) == event_texts(random.trace));
}

}  // namespace
}  // namespace foretrace::testing
