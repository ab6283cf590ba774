#include "cli/trace_output.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/options.h"

namespace foretrace {
namespace {

Result<const Format*> choose_format(const std::string& path, const std::string& name,
                                    HasFormatOption has_option) {
  if (!name.empty()) {
    Result<const Format*> format = format_named(name);
    if (format && (*format)->writer == nullptr) {
      return fail("{} traces can be read but not written; the formats that can be written are {}",
                  name, enumerated(writable_formats()));
    }
    return format;
  }
  if (path == "-") {
    return fail("name the format to write to standard output with --output-format: {}",
                enumerated(writable_formats(), "or"));
  }
  const Format* const format = format_of_file_name(path);
  if (format == nullptr || format->writer == nullptr) {
    std::vector<std::string> extensions;
    for (const Format& known : formats()) {
      if (known.writer != nullptr) extensions.emplace_back(known.extension);
    }
    return fail(
        "the name {} does not say which format to write; let it end in {} (then, if you "
        "like, .gz or .zst){}",
        printable(path, 200), enumerated(extensions, "or"),
        has_option == HasFormatOption::yes ? ", or name the format with --output-format" : "");
  }
  return format;
}

bool is_binary(const Format& format) { return format.name == "ftr" || format.name == "rapidbin"; }

}  // namespace

std::vector<std::string> writable_formats() {
  std::vector<std::string> names;
  for (const Format& format : formats()) {
    if (format.writer != nullptr) names.emplace_back(format.name);
  }
  return names;
}

Result<const Format*> output_format(const std::string& path, const std::string& format_name,
                                    const std::string& fallback, HasFormatOption has_option) {
  Result<const Format*> format =
      choose_format(path, format_name.empty() && path == "-" ? fallback : format_name, has_option);
  if (format && path == "-" && is_binary(**format) && ::isatty(STDOUT_FILENO) == 1) {
    return fail(
        "{} is a binary format, and standard output is a terminal; write it to a file or "
        "a pipe, or choose a text format such as tiddle",
        (*format)->name);
  }
  return format;
}

TraceOutput::TraceOutput(std::string name, bool quiet, const Format& format,
                         std::unique_ptr<ByteSink> sink, const Symbols& symbols)
    : name_(std::move(name)),
      quiet_(quiet),
      format_(format.name),
      sink_(std::move(sink)),
      writer_(format.writer(*sink_, symbols)) {}

Result<TraceOutput> TraceOutput::open(const std::string& path, const std::string& format_name,
                                      const std::string& fallback, const Symbols& symbols) {
  const Result<const Format*> format = output_format(path, format_name, fallback);
  if (!format) return tl::unexpected(format.error());
  Result<std::unique_ptr<ByteSink>> sink = open_output(path);
  if (!sink) return tl::unexpected(sink.error());
  const bool piped = path == "-";
  return TraceOutput(piped ? "standard output" : printable(path, 200), piped, **format,
                     std::move(*sink), symbols);
}

Result<void> TraceOutput::write(const EventBatch& batch) {
  events_ += static_cast<uint64_t>(std::count_if(batch.events.begin(), batch.events.end(),
                                                 [](Event e) { return e.op() != Op::skip; }));
  return writer_->write(batch);
}

Result<void> TraceOutput::finish(std::string_view verb) {
  if (Result<void> done = writer_->finish(); !done) return done;
  if (Result<void> done = sink_->close(); !done) return done;
  std::string losses;
  for (const std::string& loss : writer_->losses()) losses += (losses.empty() ? "" : ", ") + loss;
  if (!losses.empty()) fmt::print(stderr, "foretrace: {} cannot carry: {}\n", name_, losses);
  if (quiet_) return {};
  fmt::print(stderr, "foretrace: {} {} to {} as {}\n", verb, counted(events_, "event"), name_,
             format_);
  return {};
}

}  // namespace foretrace
