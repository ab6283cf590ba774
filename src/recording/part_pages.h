// Which parts of a recording need not be read a second time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "recording/memory_pieces.h"
#include "recording/recording_file.h"

namespace foretrace {

// Parts without a record that matters, and the number of the stack that the thread had
// at their end if they changed it.
using UnneededParts = tsl::robin_map<const RecordingFile::Part*, uint32_t>;
inline constexpr uint32_t kNoStack = UINT32_MAX;

// Sees the records of a process, and notes the pages of those parts that have nothing
// but accesses in them. No other thread's records come between those of such a part.
class PartPages {
 public:
  void add(const RecordingFile::Part& part, std::span<const recording::Record> records);
  // `pieces`: the memory that matters.
  UnneededParts unneeded(const std::vector<MemoryPiece>& pieces) const;

 private:
  struct Pages {
    uint64_t first;
    uint64_t last;
  };
  struct Known {
    const RecordingFile::Part* part;
    bool only_accesses;
    uint32_t stack;
    size_t first_page;  // in pages_; they end where those of the next part begin
  };
  void note(uint64_t address, uint64_t bytes);

  std::vector<Known> parts_;
  std::vector<Pages> pages_;
  // Pages that the last part has, most of them: so that each is noted once.
  static constexpr size_t kRecent = 1024;
  std::array<uint64_t, kRecent> recent_ = {};
};

}  // namespace foretrace
