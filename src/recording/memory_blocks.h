// Blocks of memory by their addresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "recording/memory_pieces.h"

namespace foretrace {

// What belongs to a block of so many bytes: nothing else is in the word that it ends in, or that
// one of no bytes is at.
inline uint64_t whole_words(uint64_t bytes) {
  return (std::max(bytes, uint64_t{1}) + 7) & ~uint64_t{7};
}

// A block has its `bytes`, and `rest(from)` is what begins so many bytes behind its start. It
// stays, given back or not, until another one begins in its place; what is not in that stays, too.
// No two overlap. Programs have many small ones and use their addresses again and again: those are
// found by their page.
template <typename Block>
class MemoryBlocks {
 public:
  void begin(uint64_t address, Block block) {
    cut(address, address + std::max(block.bytes, uint64_t{1}));
    insert(address, std::move(block));
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
  // The one that an address is in.
  Found around(uint64_t address) const {
    if (pages_.empty() && large_.empty()) return {};  // and so it is with sets in most runs
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

  void insert(uint64_t address, Block block) {
    if (block.bytes > kSurveyPage) {
      large_[address] = std::move(block);
    } else {
      Page& page = pages_[address / kSurveyPage];
      page.insert(first_from(page, address), {address, std::move(block)});
    }
  }

  // These bytes are in no block any more. What is left of one behind them is a block.
  void cut(uint64_t first, uint64_t end) {
    std::optional<Block> rest;
    const auto leaves_rest = [&](uint64_t address, const Block& block) {
      if (address + block.bytes > end) rest = block.rest(end - address);
    };
    if (const Found there = around(first); there.block != nullptr && there.address < first) {
      leaves_rest(there.address, *there.block);
      at(there.address)->bytes = first - there.address;
    }
    const auto erase_from = [&](Page& page) {
      const auto last = first_from(page, end);
      const auto begin = first_from(page, first);
      if (begin != last) leaves_rest(std::prev(last)->address, std::prev(last)->block);
      page.erase(begin, last);
    };
    const uint64_t first_page = first / kSurveyPage;
    const uint64_t last_page = (end - 1) / kSurveyPage;
    if (last_page - first_page < pages_.size()) {
      for (uint64_t number = first_page; number <= last_page; ++number) {
        if (const auto page = pages_.find(number); page != pages_.end()) erase_from(page.value());
      }
    } else {
      for (auto page = pages_.begin(); page != pages_.end(); ++page) erase_from(page.value());
    }
    if (!large_.empty()) {
      const auto last = large_.lower_bound(end);
      const auto begin = large_.lower_bound(first);
      if (begin != last) leaves_rest(std::prev(last)->first, std::prev(last)->second);
      large_.erase(begin, last);
    }
    if (rest) insert(end, std::move(*rest));
  }

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

  tsl::robin_map<uint64_t, Page, IntegerHash> pages_;
  std::map<uint64_t, Block> large_;
};

}  // namespace foretrace
