// An access of the program that is to be recorded.
#pragma once

#include <cstdint>
#include <optional>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instruction.h>

#include "instrument/loop_ranges.h"

namespace foretrace::instrument {

struct Access {
  llvm::Instruction* instruction;
  llvm::Value* pointer;
  uint64_t bytes;
  bool write;
  // Of reads that are one, of which `instruction` is the last: the first (adjacent.h).
  const llvm::Instruction* first = nullptr;
  bool updates = false;  // a write of what has just been read, by one operator
  // Of a write: the number of the access that has read it before, at another site, if both are
  // recorded as one; and of that read, that it is (update_pairs.h).
  std::optional<size_t> pair = std::nullopt;
  bool in_pair = false;
  // Accesses with the same number are in one block, with nothing between them that
  // synchronises, may not return, or is another function that accesses memory.
  uint32_t stretch = 0;
  llvm::Constant* site = nullptr;
  bool steers = false;                            // a loop that it is in (foreseen_loops.h)
  bool in_loop = false;                           // whose course is foreseen
  bool foreseen = false;                          // in it (foreseen_loops.h)
  bool in_group = false;                          // read_groups.h
  bool covered = false;                           // covered_reads.h
  int64_t offset = 0;                             // from the pointer to the first byte
  std::optional<LoopRange> range = std::nullopt;  // of all rounds of a loop
  bool if_apart = false;  // that only if the ranges of the loop lie apart (range_order.h)
};

// By what an access starts from, and how far from there it is.
struct AccessPlace {
  const llvm::Value* base;
  int64_t offset;
};
AccessPlace place_of(const Access& access);

}  // namespace foretrace::instrument
