// Blocks of memory by their addresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "recording/memory_pieces.h"

namespace foretrace {

// A block has its `bytes`. It stays, given back or not, until one begins in its place. Programs
// have many small ones and use their addresses again and again: those are found by their page.
template <typename Block>
class MemoryBlocks {
 public:
  // It takes the place of all that begin in its bytes.
  void begin(uint64_t address, Block block) {
    const uint64_t end = address + block.bytes;
    if (block.bytes > kSurveyPage) {
      erase_small(address, end);
      erase_large(address, end);
      large_[address] = std::move(block);
      return;
    }
    if (!large_.empty()) erase_large(address, std::max(end, address + 1));
    Page& page = pages_[address / kSurveyPage];
    auto place = first_from(page, address);
    if (place != page.end() && place->address == address) {
      place->block = std::move(block);
    } else {
      place = page.insert(place, {address, std::move(block)});
    }
    ++place;
    page.erase(place, std::find_if(place, page.end(),
                                   [&](const Start& start) { return start.address >= end; }));
    if (end > (address / kSurveyPage + 1) * kSurveyPage) erase_in(end / kSurveyPage, address, end);
  }

  // That begins there; null if none does.
  Block* at(uint64_t address) {
    if (const auto page = pages_.find(address / kSurveyPage); page != pages_.end()) {
      const auto place = first_from(page.value(), address);
      if (place != page.value().end() && place->address == address) return &place->block;
    }
    if (large_.empty()) return nullptr;
    const auto large = large_.find(address);
    return large != large_.end() ? &large->second : nullptr;
  }

  struct Found {
    uint64_t address = 0;
    const Block* block = nullptr;  // null: there is none
  };
  // The one that an address is in, if it is in the last small one or the last large one that
  // begins in front of it.
  Found around(uint64_t address) const {
    const uint64_t number = address / kSurveyPage;
    const Start* last = last_up_to(number, address);
    if (last == nullptr) last = last_up_to(number - 1, address);
    if (last != nullptr && last->address + last->block.bytes > address) {
      return {last->address, &last->block};
    }
    auto large = large_.upper_bound(address);
    if (large == large_.begin()) return {};
    --large;
    return large->first + large->second.bytes > address ? Found{large->first, &large->second}
                                                        : Found();
  }

 private:
  struct Start {
    uint64_t address;
    Block block;
  };
  using Page = std::vector<Start>;  // the blocks that begin in it, but for large ones, in order

  static auto first_from(Page& page, uint64_t address) {
    return std::lower_bound(page.begin(), page.end(), address,
                            [](const Start& start, uint64_t at) { return start.address < at; });
  }

  // The last block of a page that begins there or in front; null if none does.
  const Start* last_up_to(uint64_t number, uint64_t address) const {
    const auto page = pages_.find(number);
    if (page == pages_.end()) return nullptr;
    const auto behind =
        std::upper_bound(page->second.begin(), page->second.end(), address,
                         [](uint64_t at, const Start& start) { return at < start.address; });
    return behind != page->second.begin() ? &*std::prev(behind) : nullptr;
  }

  void erase_in(uint64_t number, uint64_t first, uint64_t end) {
    const auto page = pages_.find(number);
    if (page != pages_.end()) erase_in(page.value(), first, end);
  }
  static void erase_in(Page& page, uint64_t first, uint64_t end) {
    page.erase(first_from(page, first), first_from(page, end));
  }
  void erase_small(uint64_t first, uint64_t end) {
    const uint64_t last = (end - 1) / kSurveyPage;
    if (last - first / kSurveyPage < pages_.size()) {
      for (uint64_t number = first / kSurveyPage; number <= last; ++number) {
        erase_in(number, first, end);
      }
    } else {
      for (auto page = pages_.begin(); page != pages_.end(); ++page) {
        erase_in(page.value(), first, end);
      }
    }
  }
  void erase_large(uint64_t first, uint64_t end) {
    large_.erase(large_.lower_bound(first), large_.lower_bound(end));
  }

  tsl::robin_map<uint64_t, Page, IntegerHash> pages_;
  std::map<uint64_t, Block> large_;
};

}  // namespace foretrace
