// From the addresses of one process to the locations of the trace.
#pragma once

#include <bitset>
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
// What code with hooks gives back is over only when the memory is handed out again: until
// then nobody may use it. Of larger blocks it is over at once: few are used too late, and
// they may be many pages.
inline constexpr uint64_t kLargestKeptBlock = 64 << 10;

// The pieces at one point of the run after the other.
class MemoryPieces {
 public:
  // Makes a new location for `bytes` bytes at `address`.
  using NewLocation = std::function<LocationId(uint64_t address, uint64_t bytes)>;
  MemoryPieces(std::vector<MemoryPiece> pieces, NewLocation new_location);

  // The locations in these bytes, in order of address; valid until the next call.
  // Bytes that are no piece are left out.
  std::span<const LocationId> locate(uint64_t address, uint64_t bytes) {
    if (!may_be_in_page(address) && address / kSurveyPage == (address + bytes - 1) / kSurveyPage) {
      return {};  // and so it is with most memory of most runs
    }
    const Answer& answer = answers_[slot_of(address)];
    if (answer.address == address && answer.bytes == bytes &&
        answer.changes == changes_of(address / kSurveyPage)) {
      return {&answer.location, answer.location != kNone ? size_t{1} : 0};
    }
    return look_up(address, bytes);
  }

  // Whether locate() may find something in the page of an address.
  bool may_be_in_page(uint64_t address) const {
    return had_pieces_.test(bit_of(address / kSurveyPage));
  }

  // Whether one may, at any time, be between two addresses.
  bool may_be_between(uint64_t begin, uint64_t end) const { return begin < end_ && begin_ < end; }

  // The locations in these bytes that some access was of, in order of address; valid until the next
  // call.
  std::span<const LocationId> known(uint64_t address, uint64_t bytes);

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

  // Accesses come again: what was found last in one page, where that was one location or
  // none (kNone).
  struct Answer {
    uint64_t address = UINT64_MAX;
    uint64_t bytes = 0;
    uint32_t changes = 0;  // of the page
    LocationId location = kNone;
  };
  static constexpr uint32_t kSlotBits = 13;
  static size_t slot_of(uint64_t number) {
    return number * 0x9E3779B97F4A7C15ULL >> (64 - kSlotBits);
  }
  static size_t bit_of(uint64_t page) { return slot_of(page) * 4 + page % 4; }
  // How often the pieces of a page, or of one that shares the count, have changed.
  uint32_t& changes_of(uint64_t page) { return changes_[slot_of(page)]; }

  using Pages = tsl::robin_map<uint64_t, Page, IntegerHash>;

  std::span<const LocationId> look_up(uint64_t address, uint64_t bytes);
  void add_pieces();
  void add_known(const Page& page, uint64_t start, uint64_t first, uint64_t end);
  void forget_in(Pages::iterator page, uint64_t first, uint64_t end);

  std::vector<MemoryPiece> pieces_;  // by when they are there, and by address
  size_t next_ = 0;
  uint32_t forgotten_ = 0;  // calls of forget()
  NewLocation new_location_;
  Pages pages_;
  uint64_t begin_ = UINT64_MAX;                     // of the first piece
  uint64_t end_ = 0;                                // of the last one
  std::bitset<size_t{4} << kSlotBits> had_pieces_;  // pages, and those that share their bit
  std::vector<LocationId> located_;
  std::vector<Answer> answers_ = std::vector<Answer>(size_t{1} << kSlotBits);
  std::vector<uint32_t> changes_ = std::vector<uint32_t>(size_t{1} << kSlotBits);
};

}  // namespace foretrace
