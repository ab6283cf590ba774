// From the addresses of one process to the locations of the trace.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <tsl/robin_map.h>

#include "trace/event.h"

namespace foretrace {

// Memory is divided into locations as it is accessed: the first access of some
// bytes makes them one location, but none crosses a word (8 bytes). A later
// access of a part of it splits it: the part goes on as the old location, what is
// left becomes new ones.
class MemoryMap {
 public:
  // Makes a new location for `bytes` bytes at `address`.
  using NewLocation = std::function<LocationId(uint64_t address, uint64_t bytes)>;
  explicit MemoryMap(NewLocation new_location) : new_location_(std::move(new_location)) {}

  // The locations that are exactly these bytes, in order of address; valid until
  // the next call.
  const std::vector<LocationId>& locate(uint64_t address, uint64_t bytes);

  // What was there is over: the next access makes new locations.
  void forget(uint64_t address, uint64_t bytes);

 private:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr uint64_t kWordBytes = 8;

  struct Place {
    LocationId location = 0;
    uint8_t first = 0;  // offsets in the word
    uint8_t bytes = 0;  // 0: none
  };
  // A word that is not one location.
  using Parts = std::array<Place, kWordBytes>;
  // What a word is: 0 for nothing, a location plus one, or the number of its
  // parts with this bit. Arrays of words need no more than this.
  static constexpr uint32_t kInParts = 1U << 31;
  struct Page {
    uint32_t words[kPageBytes / kWordBytes] = {};
  };

  Page& page_of(uint64_t address);
  void locate_whole(uint32_t& word, uint64_t address);
  void locate_part(uint32_t& word, uint64_t address, uint64_t first, uint64_t end);
  void forget_part(uint32_t& word, uint64_t first, uint64_t end);
  Parts& divide(uint32_t& word);
  void release(uint32_t& word);
  void split(Parts& parts, uint64_t address, Place old, uint64_t first, uint64_t end);
  static void assign(Parts& parts, uint64_t first, uint64_t end, LocationId location);

  NewLocation new_location_;
  tsl::robin_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_number_ = UINT64_MAX;  // the page that was used last
  Page* last_page_ = nullptr;
  std::vector<Parts> parts_;
  std::vector<uint32_t> free_parts_;
  std::vector<LocationId> located_;
};

}  // namespace foretrace
