// Where the subcommands that write a trace put it, and in which format.
#pragma once

#include <memory>
#include <string>

#include "base/output.h"
#include "trace/format.h"

namespace foretrace {

// A trace that is being written: open(), write() for each batch, finish().
class TraceOutput {
 public:
  // `path` "-" is standard output. `format_name` may be empty: then the path's
  // extension decides, or `fallback` where the path is "-" (empty: an error).
  // A binary format is not written to a terminal.
  static Result<TraceOutput> open(const std::string& path, const std::string& format_name,
                                  const std::string& fallback, const Symbols& symbols);

  Result<void> write(const EventBatch& batch);
  // Completes the file. Says on standard error what the format could not carry
  // and, for a file, how many events went there: "wrote" or another `verb`.
  Result<void> finish(std::string_view verb);

 private:
  TraceOutput(std::string name, bool quiet, const Format& format, std::unique_ptr<ByteSink> sink,
              const Symbols& symbols);

  std::string name_;  // for messages
  bool quiet_;
  std::string_view format_;
  std::unique_ptr<ByteSink> sink_;
  std::unique_ptr<TraceWriter> writer_;
  uint64_t events_ = 0;
};

// Whether the command has --output-format, which messages then speak of.
enum class HasFormatOption { no, yes };

// What open() would write.
Result<const Format*> output_format(const std::string& path, const std::string& format_name,
                                    const std::string& fallback,
                                    HasFormatOption has_option = HasFormatOption::yes);

// The names of the formats that can be written.
std::vector<std::string> writable_formats();

}  // namespace foretrace
