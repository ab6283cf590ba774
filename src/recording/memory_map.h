// From the addresses of one process to the locations of the trace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <tsl/robin_map.h>

#include "trace/event.h"

namespace foretrace {

// Memory is divided into locations as it is accessed: the first access of some
// bytes makes them one location. A later access of a part of it splits it: the
// part goes on as the old location, what is left becomes new ones.
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
  // A range access makes locations of at most this size: with longer ones an
  // access of one element would have to split more.
  static constexpr uint64_t kLargest = 8;

  struct Place {
    LocationId location = 0;
    uint16_t first = 0;  // offsets in the page; a location is within one page
    uint16_t bytes = 0;  // 0: none
  };
  struct Page {
    Place places[kPageBytes];
  };

  Page& page_of(uint64_t address);
  void locate_in(Page& page, uint64_t page_address, uint64_t first, uint64_t end);
  void assign(Page& page, uint64_t first, uint64_t end, LocationId location);
  void split(Page& page, uint64_t page_address, Place old, uint64_t first, uint64_t end);

  NewLocation new_location_;
  tsl::robin_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_number_ = UINT64_MAX;  // the page that was used last
  Page* last_page_ = nullptr;
  std::vector<LocationId> located_;
};

}  // namespace foretrace
