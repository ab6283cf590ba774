#include "recording/memory_map.h"

#include <algorithm>

namespace foretrace {

MemoryMap::Page& MemoryMap::page_of(uint64_t address) {
  const uint64_t number = address / kPageBytes;
  if (number != last_number_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    last_number_ = number;
    last_page_ = page.get();
  }
  return *last_page_;
}

const std::vector<LocationId>& MemoryMap::locate(uint64_t address, uint64_t bytes) {
  located_.clear();
  for (const uint64_t end = address + bytes; address < end;) {
    Page& page = page_of(address);
    const uint64_t page_address = address / kPageBytes * kPageBytes;
    const uint64_t page_end = std::min(end, page_address + kPageBytes);
    locate_in(page, page_address, address - page_address, page_end - page_address);
    address = page_end;
  }
  return located_;
}

void MemoryMap::locate_in(Page& page, uint64_t page_address, uint64_t first, uint64_t end) {
  while (first < end) {
    const Place place = page.places[first];
    uint64_t next = 0;
    if (place.bytes == 0) {  // as many bytes as are free, but at most a word
      next = first + 1;
      while (next < end && page.places[next].bytes == 0 && next % kLargest != 0) ++next;
      assign(page, first, next, new_location_(page_address + first, next - first));
    } else {
      const uint64_t place_end = uint64_t{place.first} + place.bytes;
      next = std::min(end, place_end);
      if (place.first != first || next != place_end) split(page, page_address, place, first, next);
    }
    located_.push_back(page.places[first].location);
    first = next;
  }
}

void MemoryMap::assign(Page& page, uint64_t first, uint64_t end, LocationId location) {
  const Place place = {location, static_cast<uint16_t>(first), static_cast<uint16_t>(end - first)};
  std::fill(page.places + first, page.places + end, place);
}

// The part that is accessed now keeps the location, and with it the past.
void MemoryMap::split(Page& page, uint64_t page_address, Place old, uint64_t first, uint64_t end) {
  const uint64_t old_end = uint64_t{old.first} + old.bytes;
  assign(page, first, end, old.location);
  if (old.first < first) {
    assign(page, old.first, first, new_location_(page_address + old.first, first - old.first));
  }
  if (end < old_end) assign(page, end, old_end, new_location_(page_address + end, old_end - end));
}

void MemoryMap::forget(uint64_t address, uint64_t bytes) {
  const uint64_t end = address + bytes;
  while (address < end) {
    const uint64_t number = address / kPageBytes;
    const uint64_t page_end = std::min(end, (number + 1) * kPageBytes);
    const auto found = pages_.find(number);
    if (found != pages_.end()) {
      if (page_end - address == kPageBytes) {
        if (last_number_ == number) last_number_ = UINT64_MAX;
        pages_.erase(found);
      } else {
        Page& page = *found->second;
        std::fill(page.places + address % kPageBytes,
                  page.places + address % kPageBytes + (page_end - address), Place());
      }
    } else if (pages_.empty()) {
      return;
    }
    address = page_end;
  }
}

}  // namespace foretrace
