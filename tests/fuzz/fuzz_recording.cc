// A libFuzzer target: any recording is read without a fault, whether all of it is wanted or what
// may be in another order; and what is read are the events of a program that could be.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "recording/recording_reader.h"
#include "recording/spool.h"
#include "right_checksums.h"
#include "trace/well_formed.h"

namespace foretrace {
namespace {

void require(bool holds, const char* what, const std::string& detail) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s %s\n", what, detail.c_str());
  std::abort();
}
void require_line(const std::string& text) {
  require(text.find('\n') == std::string::npos, "an error or a note is one line:", text);
}

std::shared_ptr<const RecordingFile> open(const std::string& bytes) {
  Result<std::unique_ptr<Spool>> spool = Spool::create();
  require(spool.has_value(), "there are temporary files", "");
  (*spool)->write(bytes);
  Result<MappedBytes> mapped = (*spool)->map();
  if (!mapped) return nullptr;
  Result<std::unique_ptr<RecordingFile>> file = RecordingFile::open("fuzz", std::move(*mapped));
  if (file) return std::move(*file);
  require_line(file.error().message);
  return nullptr;
}

// How much memory its accesses touch: few bytes can speak of a lot, and reading costs as much.
uint64_t touched_pages(const RecordingFile& file) {
  uint64_t pages = 0;
  ftr::ChunkUnpacker unpacker;
  for (const auto& [number, process] : file.processes()) {
    for (const auto& [thread, parts] : process.threads) {
      for (const RecordingFile::Part& part : parts) {
        std::vector<char> bytes;
        const auto source = file.open_part(part, process.names, unpacker, bytes);
        std::array<recording::Record, 64> records;
        while (const size_t count = source ? (*source)->read(records) : 0) {
          for (const recording::Record& record : std::span(records).first(count)) {
            pages += record.elements() + record.upper() / kSurveyPage;
          }
        }
      }
    }
  }
  return pages;
}

void read(std::shared_ptr<const RecordingFile> file, bool all) {
  const Result<std::unique_ptr<RecordingReader>> reader = RecordingReader::open(std::move(file));
  require(reader.has_value(), "what was opened is read", "");
  if (!all) (*reader)->leave_out_ordered_accesses();
  const WellFormedOptions options = {.lenient = false, .unnested = true};
  WellFormed checker((*reader)->symbols(), "fuzz", options);
  EventBuffer buffer;
  for (;;) {
    if (const Result<void> done = (*reader)->read(buffer); !done) {
      return require_line(done.error().message);
    }
    if (buffer.events.empty()) break;
    const Result<void> done = checker.check(buffer);
    require(done.has_value(), "events are well-formed:", done ? "" : done.error().message);
  }
  for (const std::string& note : (*reader)->notes()) require_line(note);
}

}  // namespace
}  // namespace foretrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file =
      foretrace::open(foretrace::with_right_checksums({reinterpret_cast<const char*>(data), size}));
  constexpr uint64_t kMostPages = 1 << 14;
  if (file == nullptr || foretrace::touched_pages(*file) > kMostPages) return 0;
  foretrace::read(file, true);
  foretrace::read(file, false);
  return 0;
}
