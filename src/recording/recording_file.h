// A recording as a file: what each thread recorded, in chunks, as it came.
// docs/formats/recording.md describes it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "recording/read_groups.h"
#include "recording/spool.h"
#include "trace/formats/ftr_chunks.h"

namespace foretrace {
namespace ftr {

inline constexpr uint32_t kProcess = tag("PROC");
inline constexpr uint32_t kImageNames = tag("IMGN");
inline constexpr uint32_t kRecords = tag("RECS");
inline constexpr uint32_t kPlainRecords = tag("RECP");

// In front of a chunk's records, never packed.
struct RecordsLabel {
  uint32_t process;
  uint32_t thread;
  uint64_t first_stamp;  // of the first stamped record; 0: there is none
};
static_assert(sizeof(RecordsLabel) == 16);

}  // namespace ftr

// Of a recording that still goes on, by process: behind the record with this stamp, not
// all that came before other threads' records is known.
using Horizons = std::map<uint32_t, uint64_t>;

class RecordingFile {
 public:
  // The bytes of the whole file, or of what is known so far; `name` is for messages.
  static Result<std::unique_ptr<RecordingFile>> open(const std::string& name, MappedBytes bytes,
                                                     const Horizons& horizons = {});

  // Records that one thread wrote one after the other.
  struct Part {
    uint64_t first_stamp;
    uint64_t offset;  // of the chunk
  };
  struct Process {
    uint32_t names = 0;                             // the number of its program image
    std::map<uint32_t, std::vector<Part>> threads;  // by number
    uint64_t horizon = UINT64_MAX;                  // see Horizons
    uint64_t parts() const;                         // of all threads
  };
  const std::map<uint32_t, Process>& processes() const { return processes_; }
  // What the runtime wrote down of a program image (runtime/layout.h).
  const std::map<uint32_t, std::string>& names() const { return names_; }

  // Whether the recorder came to the end of the program; else the last records
  // of some threads are not there.
  bool is_complete() const { return complete_; }
  // Records that were lost in the program.
  uint64_t dropped() const { return dropped_; }
  // Threads, or whole processes, that there was no room for.
  uint64_t unrecorded_threads() const { return unrecorded_threads_; }
  // What the user should know of a file that is not complete, or "".
  const std::string& note() const { return note_; }
  const std::string& name() const { return name_; }
  std::string_view bytes() const { return bytes_; }

  // The records of a part of a process that has these names; they may be in `bytes` then.
  Result<std::unique_ptr<RecordSource>> open_part(const Part& part, uint32_t names,
                                                  ftr::ChunkUnpacker& unpacker,
                                                  std::vector<char>& bytes) const;

 private:
  RecordingFile(std::string name, MappedBytes bytes)
      : name_(std::move(name)), mapped_(std::move(bytes)), bytes_(mapped_.view()) {}
  Result<std::unique_ptr<RecordSource>> open_grouped(const Part& part, ftr::ChunkUnpacker& unpacker,
                                                     std::vector<char>& bytes) const;
  Result<void> read_chunks();
  Result<void> read_chunk(const ftr::ChunkHeader& header, uint64_t offset);
  Result<void> read_small_chunk(const ftr::ChunkHeader& header, uint64_t offset);
  std::string_view stored(const ftr::ChunkHeader& header, uint64_t offset) const {
    return bytes_.substr(offset + ftr::kChunkHeader, header.stored_size);
  }
  tl::unexpected<Error> damaged(uint64_t offset, std::string_view what) const;

  const std::string name_;
  const MappedBytes mapped_;
  const std::string_view bytes_;
  ftr::ChunkUnpacker unpacker_;
  std::map<uint32_t, Process> processes_;
  std::map<uint32_t, std::string> names_;
  std::map<uint32_t, ReadGroups> groups_;  // likewise
  bool complete_ = false;
  uint64_t dropped_ = 0;
  uint64_t unrecorded_threads_ = 0;
  std::string note_;
};

}  // namespace foretrace
