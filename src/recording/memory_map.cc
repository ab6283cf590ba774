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
    const uint64_t page_end = std::min(end, (address / kPageBytes + 1) * kPageBytes);
    while (address < page_end) {
      const uint64_t first = address % kWordBytes;
      const uint64_t part_end = std::min(page_end - address + first, kWordBytes);
      uint32_t& word = page.words[address % kPageBytes / kWordBytes];
      if (first == 0 && part_end == kWordBytes && (word & kInParts) == 0) {
        locate_whole(word, address);
      } else {
        locate_part(word, address - first, first, part_end);
      }
      address += part_end - first;
    }
  }
  return located_;
}

void MemoryMap::locate_whole(uint32_t& word, uint64_t address) {
  if (word == 0) word = new_location_(address, kWordBytes) + 1;
  located_.push_back(word - 1);
}

void MemoryMap::locate_part(uint32_t& word, uint64_t address, uint64_t first, uint64_t end) {
  Parts& parts = divide(word);
  while (first < end) {
    const Place place = parts[first];
    uint64_t next = 0;
    if (place.bytes == 0) {  // as many bytes as are free
      next = first + 1;
      while (next < end && parts[next].bytes == 0) ++next;
      assign(parts, first, next, new_location_(address + first, next - first));
    } else {
      const uint64_t place_end = uint64_t{place.first} + place.bytes;
      next = std::min(end, place_end);
      if (place.first != first || next != place_end) split(parts, address, place, first, next);
    }
    located_.push_back(parts[first].location);
    first = next;
  }
}

// The parts of a word, which is divided from now on.
MemoryMap::Parts& MemoryMap::divide(uint32_t& word) {
  if ((word & kInParts) != 0) return parts_[word & ~kInParts];
  const uint32_t whole = word;
  if (free_parts_.empty()) {
    free_parts_.push_back(static_cast<uint32_t>(parts_.size()));
    parts_.emplace_back();
  }
  word = free_parts_.back() | kInParts;
  free_parts_.pop_back();
  Parts& parts = parts_[word & ~kInParts];
  parts = {};
  if (whole != 0) assign(parts, 0, kWordBytes, whole - 1);
  return parts;
}

void MemoryMap::release(uint32_t& word) {
  if ((word & kInParts) != 0) free_parts_.push_back(word & ~kInParts);
  word = 0;
}

void MemoryMap::assign(Parts& parts, uint64_t first, uint64_t end, LocationId location) {
  const Place place = {location, static_cast<uint8_t>(first), static_cast<uint8_t>(end - first)};
  std::fill(parts.begin() + static_cast<ptrdiff_t>(first),
            parts.begin() + static_cast<ptrdiff_t>(end), place);
}

// The part that is accessed now keeps the location, and with it the past.
void MemoryMap::split(Parts& parts, uint64_t address, Place old, uint64_t first, uint64_t end) {
  const uint64_t old_end = uint64_t{old.first} + old.bytes;
  assign(parts, first, end, old.location);
  if (old.first < first) {
    assign(parts, old.first, first, new_location_(address + old.first, first - old.first));
  }
  if (end < old_end) assign(parts, end, old_end, new_location_(address + end, old_end - end));
}

// Bytes of a location that are left behind are still that location.
void MemoryMap::forget_part(uint32_t& word, uint64_t first, uint64_t end) {
  if (first == 0 && end == kWordBytes) return release(word);
  if (word == 0) return;
  Parts& parts = divide(word);
  std::fill(parts.begin() + static_cast<ptrdiff_t>(first),
            parts.begin() + static_cast<ptrdiff_t>(end), Place());
}

void MemoryMap::forget(uint64_t address, uint64_t bytes) {
  for (const uint64_t end = address + bytes; address < end && !pages_.empty();) {
    const uint64_t number = address / kPageBytes;
    const uint64_t page_end = std::min(end, (number + 1) * kPageBytes);
    const auto found = pages_.find(number);
    if (found == pages_.end()) {
      address = page_end;
      continue;
    }
    const bool whole_page = page_end - address == kPageBytes;
    while (address < page_end) {
      const uint64_t first = address % kWordBytes;
      const uint64_t part_end = std::min(page_end - address + first, kWordBytes);
      forget_part(found.value()->words[address % kPageBytes / kWordBytes], first, part_end);
      address += part_end - first;
    }
    if (!whole_page) continue;
    if (last_number_ == number) last_number_ = UINT64_MAX;
    pages_.erase(found);
  }
}

}  // namespace foretrace
