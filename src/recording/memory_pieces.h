// From the addresses of one process to the locations of the trace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "trace/event.h"

namespace foretrace {

// Bytes of memory that are one location: every access of the run is of all of
// them or of none. They are so from a point of the run on, until they are
// forgotten: points are counted by calls of forget().
struct MemoryPiece {
  uint64_t address;
  uint32_t since;  // the number of calls of forget() before it is there
  uint32_t bytes;
};

inline constexpr uint64_t kSurveyPage = 4096;  // no piece crosses one

// The pieces at one point of the run after the other.
class MemoryPieces {
 public:
  // Makes a new location for `bytes` bytes at `address`.
  using NewLocation = std::function<LocationId(uint64_t address, uint64_t bytes)>;
  MemoryPieces(std::vector<MemoryPiece> pieces, NewLocation new_location);

  // The locations in these bytes, in order of address; valid until the next call.
  // Bytes that are no piece are left out.
  std::span<const LocationId> locate(uint64_t address, uint64_t bytes) {
    const Answer& answer = answers_[slot_of(address)];
    if (answer.address == address && answer.bytes == bytes && answer.forgotten == forgotten_) {
      return {&answer.location, 1};
    }
    return look_up(address, bytes);
  }

  // What was there is over, and the next pieces are there.
  void forget(uint64_t address, uint64_t bytes);

 private:
  static constexpr LocationId kNone = UINT32_MAX;
  struct Place {
    uint16_t first;  // offset in the page
    uint16_t bytes;
    LocationId location;  // kNone until it is accessed
  };
  using Page = std::vector<Place>;  // in order

  // Accesses come again: what was found last, where that was one location.
  struct Answer {
    uint64_t address = UINT64_MAX;  // of none
    uint64_t bytes = 0;
    uint32_t forgotten = 0;  // as forgotten_ was
    LocationId location = kNone;
  };
  static constexpr uint32_t kAnswerBits = 10;
  static size_t slot_of(uint64_t address) {
    return address * 0x9E3779B97F4A7C15ULL >> (64 - kAnswerBits);
  }

  std::span<const LocationId> look_up(uint64_t address, uint64_t bytes);
  void add_pieces();

  std::vector<MemoryPiece> pieces_;  // by when they are there, and by address
  size_t next_ = 0;
  uint32_t forgotten_ = 0;  // calls of forget()
  NewLocation new_location_;
  tsl::robin_map<uint64_t, Page, IntegerHash> pages_;
  std::vector<LocationId> located_;
  std::vector<Answer> answers_ = std::vector<Answer>(size_t{1} << kAnswerBits);
};

}  // namespace foretrace
