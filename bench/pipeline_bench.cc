// Reading traces and running analyses on them, as ratios inside one run: each
// benchmark works on the same generated trace of FORETRACE_BENCH_EVENTS events
// (default 10M; 16 threads, 50 locks, 100,000 locations), those called nested on
// one of a million events with deeply nested locks. bench/run prints the ratios.
#include <cstdlib>

#include <benchmark/benchmark.h>
#include <zstd.h>

#include "analyses/analysis.h"
#include "base/text.h"
#include "trace/formats/ftr_chunks.h"
#include "trace/generator.h"
#include "trace/stream.h"

namespace foretrace {
namespace {

struct Inputs {
  std::string ftr;
  std::string std_text;
  uint64_t events = 0;
  std::string nested_ftr;
  uint64_t nested_events = 1'000'000;
};

void must(const Result<void>& done) {
  if (done) return;
  fmt::print(stderr, "{}\n", done.error().message);
  std::abort();
}

std::string written(const Format& format, const GeneratorOptions& options) {
  std::string bytes;
  const std::unique_ptr<ByteSink> sink = string_output(bytes);
  TraceGenerator generator(options);
  const std::unique_ptr<TraceWriter> writer = format.writer(*sink, generator.symbols());
  EventBuffer buffer;
  for (generator.next(buffer); !buffer.events.empty(); generator.next(buffer)) {
    must(writer->write(buffer.batch()));
  }
  must(writer->finish());
  return bytes;
}

const Inputs& inputs() {
  static const Inputs made = [] {
    GeneratorOptions options;
    const char* const events = std::getenv("FORETRACE_BENCH_EVENTS");
    options.events = parse_count(events == nullptr ? "10M" : events).value();
    options.threads = 16;
    options.locks = 50;
    options.locations = 100'000;
    options.races = 5;
    options.sites = 500;
    Inputs inputs;
    inputs.events = options.events;
    inputs.ftr = written(*format_named("ftr").value(), options);
    inputs.std_text = written(*format_named("std").value(), options);
    options.events = inputs.nested_events;
    options.nesting = 5;
    inputs.nested_ftr = written(*format_named("ftr").value(), options);
    return inputs;
  }();
  return made;
}

// Hands out bytes that it does not own.
class ViewSource : public ByteSource {
 public:
  explicit ViewSource(std::string_view bytes) : ByteSource("benchmark"), bytes_(bytes) {}
  Result<size_t> read(std::span<char> into) override {
    const size_t count = std::min(into.size(), bytes_.size());
    std::copy_n(bytes_.data(), count, into.data());
    bytes_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view bytes_;
};

std::unique_ptr<TraceReader> reader_of(std::string_view bytes) {
  return open_trace(std::make_unique<ViewSource>(bytes)).value();
}

void report_speed(benchmark::State& state, uint64_t events = inputs().events) {
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(events) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

// What zstd alone needs for the same chunks.
void BM_zstd(benchmark::State& state) {
  const std::string& bytes = inputs().ftr;
  std::string raw;
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  for ([[maybe_unused]] auto _ : state) {
    for (size_t place = ftr::kFileHeader; place < bytes.size();) {
      const ftr::ChunkHeader header =
          ftr::parse_chunk_header(std::string_view(bytes).substr(place));
      raw.resize(header.raw_size);
      place += ftr::kChunkHeader;
      if (header.codec == ftr::Codec::zstd) {
        ZSTD_decompressDCtx(context, raw.data(), raw.size(), bytes.data() + place,
                            header.stored_size);
      }
      benchmark::DoNotOptimize(raw.data());
      place += header.stored_size;
    }
  }
  ZSTD_freeDCtx(context);
  report_speed(state);
}

void decode(benchmark::State& state, const std::string& bytes) {
  EventBuffer buffer;
  for ([[maybe_unused]] auto _ : state) {
    const std::unique_ptr<TraceReader> reader = reader_of(bytes);
    do {
      must(reader->read(buffer));
      benchmark::DoNotOptimize(buffer.events.data());
    } while (!buffer.events.empty());
  }
  report_speed(state);
}
void BM_ftr_decode(benchmark::State& state) { decode(state, inputs().ftr); }
void BM_std_decode(benchmark::State& state) { decode(state, inputs().std_text); }

// Decoding, checking and the analysis, as `foretrace analyze` does it, but for the
// search for schedules.
void analyze(benchmark::State& state, std::string_view name, const std::string& bytes) {
  uint64_t events = 0;
  size_t found = 0;
  for ([[maybe_unused]] auto _ : state) {
    TraceStream stream(reader_of(bytes), {});
    const AnalysisSettings settings;
    found = 0;
    const auto analysis = analysis_named(name).value()->create(
        {stream.symbols(), settings, [&](const Candidate&) { ++found; }});
    for (;;) {
      const EventBatch batch = stream.next().value();
      if (batch.events.empty()) break;
      analysis->process(batch);
    }
    analysis->finish();
    events = stream.event_count();
  }
  state.counters["found"] = static_cast<double>(found);
  report_speed(state, events);
}
void BM_hb_from_std(benchmark::State& state) { analyze(state, "hb", inputs().std_text); }

void in_milliseconds(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK(BM_zstd)->Apply(in_milliseconds);
BENCHMARK(BM_ftr_decode)->Apply(in_milliseconds);
BENCHMARK(BM_std_decode)->Apply(in_milliseconds);
BENCHMARK(BM_hb_from_std)->Apply(in_milliseconds);

// One of each kind for each analysis: BM_hb and BM_nested_hb, say. Those that
// decide candidates of the whole trace are measured by bench/run.
void register_analyses() {
  for (const AnalysisInfo& info : analyses()) {
    const std::string name(info.name);
    benchmark::RegisterBenchmark(("BM_" + name).c_str(), [name](benchmark::State& state) {
      analyze(state, name, inputs().ftr);
    })->Apply(in_milliseconds);
    benchmark::RegisterBenchmark(("BM_nested_" + name).c_str(), [name](benchmark::State& state) {
      analyze(state, name, inputs().nested_ftr);
    })->Apply(in_milliseconds);
  }
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  foretrace::register_analyses();
  benchmark::RunSpecifiedBenchmarks();
}
