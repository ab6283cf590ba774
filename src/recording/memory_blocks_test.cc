#include "recording/memory_blocks.h"

#include <map>
#include <optional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace foretrace {
namespace {

struct Block {
  uint64_t bytes;
  uint32_t number;
  uint64_t offset = 0;
  bool alive = true;

  Block rest(uint64_t from) const { return {bytes - from, number, offset + from, false}; }
};

// The same in the slowest way: byte by byte.
class Definition {
 public:
  struct Byte {
    uint32_t number;
    uint64_t offset;
    bool operator==(const Byte&) const = default;
  };

  void begin(uint64_t address, uint64_t bytes, uint32_t number) {
    for (uint64_t i = 0; i < bytes; ++i) {
      starts_.erase(address + i);
      bytes_[address + i] = {number, i};
    }
    starts_[address] = number;
  }
  // That began there, if it has its first byte.
  std::optional<uint32_t> at(uint64_t address) const {
    const auto start = starts_.find(address);
    return start != starts_.end() ? std::optional(start->second) : std::nullopt;
  }
  std::optional<Byte> around(uint64_t address) const {
    const auto byte = bytes_.find(address);
    return byte != bytes_.end() ? std::optional(byte->second) : std::nullopt;
  }

 private:
  std::map<uint64_t, uint32_t> starts_;
  std::map<uint64_t, Byte> bytes_;
};

RC_GTEST_PROP(MemoryBlocks, AreFoundAsByTheirDefinition, ()) {
  MemoryBlocks<Block> blocks;
  Definition definition;
  const auto some_address = [] { return 0x10000 + 8 * *rc::gen::inRange<uint64_t>(0, 4000); };
  const uint32_t count = *rc::gen::inRange<uint32_t>(0, 40);
  for (uint32_t number = 0; number < count; ++number) {
    const uint64_t most = *rc::gen::element<uint64_t>(4, 40, 500, 4096, 20000);
    const uint64_t address = some_address();
    const uint64_t bytes = *rc::gen::inRange<uint64_t>(1, most + 1);
    blocks.begin(address, {bytes, number});
    definition.begin(address, bytes, number);
    for (int i = 0; i < 20; ++i) {
      const uint64_t asked =
          i < 3 ? address + bytes * static_cast<uint64_t>(i) / 2 : some_address();
      const Block* const there = blocks.at(asked);
      RC_ASSERT((there != nullptr && there->alive ? std::optional(there->number) : std::nullopt) ==
                definition.at(asked));
      const auto found = blocks.around(asked);
      const auto known = definition.around(asked);
      RC_ASSERT((found.block != nullptr) == known.has_value());
      if (known) {
        const Definition::Byte byte = {found.block->number,
                                       found.block->offset + (asked - found.address)};
        RC_ASSERT(byte == *known);
      }
    }
  }
}

}  // namespace
}  // namespace foretrace
