#include "cli/kept_recording.h"

#include "base/text.h"
#include "cli/trace_output.h"
#include "recording/recording_reader.h"

namespace foretrace {

Result<void> write_events(const std::shared_ptr<const RecordingFile>& file, const std::string& path,
                          const std::string& format_name, std::string_view verb) {
  Result<std::unique_ptr<RecordingReader>> reader = RecordingReader::open(file);
  if (!reader) return tl::unexpected(reader.error());
  Result<TraceOutput> output = TraceOutput::open(path, format_name, "ftr", (*reader)->symbols());
  if (!output) return tl::unexpected(output.error());
  for (EventBuffer buffer;;) {
    if (Result<void> done = (*reader)->read(buffer); !done) return done;
    if (buffer.events.empty()) break;
    if (Result<void> done = output->write(buffer.batch()); !done) return done;
  }
  for (const std::string& note : (*reader)->notes()) fmt::print(stderr, "foretrace: {}\n", note);
  return output->finish(verb);
}

Result<void> keep_recording(const std::shared_ptr<const RecordingFile>& file,
                            const std::string& path) {
  const Result<const Format*> format = output_format(path, "", "ftr", HasFormatOption::no);
  if (!format) return tl::unexpected(format.error());
  if ((*format)->name != "ftr") return write_events(file, path, "", "kept");
  Result<std::unique_ptr<ByteSink>> sink = open_output(path);
  if (!sink) return tl::unexpected(sink.error());
  (*sink)->write(file->bytes());
  if (Result<void> done = (*sink)->close(); !done) return done;
  fmt::print(stderr, "foretrace: kept the recording in {}\n", printable(path, 200));
  return {};
}

}  // namespace foretrace
