// Trace formats: how each is recognised, read and written. One file per format
// under formats/, which registers itself with a FormatRegistration.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/input.h"
#include "base/output.h"
#include "trace/batch.h"
#include "trace/run_facts.h"
#include "trace/symbols.h"

namespace foretrace {

// Reads one trace, a batch at a time. Not thread-safe; but while one thread
// reads, another may use symbols() for the events that it was handed.
class TraceReader {
 public:
  explicit TraceReader(ByteReader input) : input_(std::move(input)) {}
  // For a trace whose symbols are known already.
  TraceReader(ByteReader input, const std::shared_ptr<const Symbols>& symbols)
      : input_(std::move(input)), symbols_(std::const_pointer_cast<Symbols>(symbols)) {}
  virtual ~TraceReader() = default;
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;

  // Replaces the content of `buffer` by the next events. An empty buffer is the
  // end of the trace. Errors name the file and the line (or event or byte).
  // Every number in the events is within the tables of symbols().
  virtual Result<void> read(EventBuffer& buffer) = 0;

  // To be called before the first read(): the trace need not have accesses that are
  // in the same order in every correct reordering of it. Most readers do not know.
  virtual void leave_out_ordered_accesses() {}

  // Whether critical sections may overlap without nesting, though nobody asked: so do
  // those of programs.
  virtual bool is_unnested() const { return false; }

  // What else is known of the run; null if nothing is, as in most formats.
  virtual std::shared_ptr<const RunFacts> facts() const { return nullptr; }

  const Symbols& symbols() const { return *symbols_; }
  std::shared_ptr<const Symbols> shared_symbols() const { return symbols_; }

  // What the user should know about how the trace was read and what it does not
  // change: lines of other programs that were skipped, the loss at the end of a
  // cut-off file. Complete after the last batch.
  const std::vector<std::string>& notes() const { return notes_; }

  const std::string& source_name() const { return input_.name(); }
  // The share of the trace that was read, if that is known. May be asked from another
  // thread.
  virtual std::optional<double> progress() const { return input_.progress(); }

 protected:
  ByteReader& input() { return input_; }
  Symbols& mutable_symbols() { return *symbols_; }
  void add_note(std::string note) { notes_.push_back(std::move(note)); }

 private:
  ByteReader input_;
  std::shared_ptr<Symbols> symbols_ = std::make_shared<Symbols>();
  std::vector<std::string> notes_;
};

// Writes one trace. Batches come in order; their indexes are not written, so an
// Op::skip is left out (and not a loss: it means nothing).
class TraceWriter {
 public:
  TraceWriter(ByteSink& sink, const Symbols& symbols) : sink_(sink), symbols_(symbols) {}
  virtual ~TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  virtual Result<void> write(const EventBatch& batch) = 0;
  // Writes what is pending. The sink stays open.
  virtual Result<void> finish() = 0;

  // What the format cannot carry, with counts: "12 values", "3 notify events".
  std::vector<std::string> losses() const;

 protected:
  ByteSink& sink() { return sink_; }
  const Symbols& symbols() const { return symbols_; }

  // The kinds of loss that losses() knows to put into words.
  enum class Loss { value, site, function, declaration, name };
  void lose(Loss loss, uint64_t count = 1) { lost_[static_cast<size_t>(loss)] += count; }
  void lose(Op op) { ++lost_ops_[static_cast<size_t>(op)]; }

 private:
  ByteSink& sink_;
  const Symbols& symbols_;
  std::array<uint64_t, 5> lost_ = {};
  std::array<uint64_t, kOpCount> lost_ops_ = {};
};

// How sure a format is that some bytes are its own.
enum class Match { no, possible, certain };

struct Format {
  std::string_view name;       // "std": for --input-format and --output-format
  std::string_view extension;  // ".std"
  std::string_view summary;    // one line for help
  // Judges the first bytes of a (decompressed) input; `whole` says that there
  // are no more.
  Match (*match)(std::string_view head, bool whole);
  std::unique_ptr<TraceReader> (*reader)(ByteReader input);
  std::unique_ptr<TraceWriter> (*writer)(ByteSink& sink, const Symbols& symbols);
};

// A static object of this type in a format's file makes the format known.
struct FormatRegistration {
  explicit FormatRegistration(const Format& format);
};

// All formats, by name.
const std::vector<Format>& formats();
// The named format, or an error with a "did you mean".
Result<const Format*> format_named(std::string_view name);
// The format that a file name asks for (looking past .gz and .zst), or null.
const Format* format_of_file_name(std::string_view path);

// Opens a trace. The format is found by content; where the content fits
// several, by the name; `format_name`, if not empty, settles it.
Result<std::unique_ptr<TraceReader>> open_trace(const std::string& path,
                                                std::string_view format_name = {});
Result<std::unique_ptr<TraceReader>> open_trace(std::unique_ptr<ByteSource> source,
                                                std::string_view format_name = {});

}  // namespace foretrace
