#include "recording/memory_blocks.h"

#include <optional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace foretrace {
namespace {

struct Block {
  uint64_t bytes;
  uint32_t number;
};

// The same in the slowest way: all blocks that are there, in any order.
class Definition {
 public:
  void begin(uint64_t address, Block block) {
    std::erase_if(blocks_, [&](const auto& known) {
      return known.first == address ||
             (known.first > address && known.first < address + block.bytes);
    });
    blocks_.emplace_back(address, block);
  }
  std::optional<uint32_t> at(uint64_t address) const {
    for (const auto& [start, block] : blocks_) {
      if (start == address) return block.number;
    }
    return std::nullopt;
  }
  // The small blocks that begin near, then the large ones; the last of those in front.
  static bool is_near(const std::pair<uint64_t, Block>& known, uint64_t address) {
    return known.second.bytes > kSurveyPage ||
           address / kSurveyPage - known.first / kSurveyPage <= 1;
  }
  std::optional<uint32_t> around(uint64_t address) const {
    for (const bool large : {false, true}) {
      const std::pair<uint64_t, Block>* last = nullptr;
      for (const auto& known : blocks_) {
        if (known.first <= address && is_near(known, address) &&
            (known.second.bytes > kSurveyPage) == large &&
            (last == nullptr || known.first > last->first)) {
          last = &known;
        }
      }
      if (last != nullptr && last->first + last->second.bytes > address) {
        return last->second.number;
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<std::pair<uint64_t, Block>> blocks_;
};

RC_GTEST_PROP(MemoryBlocks, AreFoundAsByTheirDefinition, ()) {
  MemoryBlocks<Block> blocks;
  Definition definition;
  const auto some_address = [] { return 0x10000 + 8 * *rc::gen::inRange<uint64_t>(0, 4000); };
  const uint32_t count = *rc::gen::inRange<uint32_t>(0, 60);
  for (uint32_t number = 0; number < count; ++number) {
    const uint64_t most = *rc::gen::element<uint64_t>(4, 40, 500, 4096, 20000);
    const uint64_t address = some_address();
    const Block block = {*rc::gen::inRange<uint64_t>(0, most + 1), number};
    blocks.begin(address, block);
    definition.begin(address, block);
    for (int i = 0; i < 20; ++i) {
      const uint64_t asked = i < 2 ? address + (i == 0 ? 0 : block.bytes) : some_address();
      const Block* const there = blocks.at(asked);
      RC_ASSERT((there != nullptr ? std::optional(there->number) : std::nullopt) ==
                definition.at(asked));
      const auto found = blocks.around(asked);
      RC_ASSERT((found.block != nullptr ? std::optional(found.block->number) : std::nullopt) ==
                definition.around(asked));
    }
  }
}

}  // namespace
}  // namespace foretrace
