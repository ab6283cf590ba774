// Reads of one object, one close after the other: the recorder looks at all of them at once.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/access.h"

namespace foretrace::instrument {

struct ReadGroup {
  std::vector<size_t> members;  // of the accesses, as they are made
  llvm::Value* base;
  int64_t offset;  // from the base to the first byte of all
  uint32_t bytes;  // a bit for each byte from there on that is read

  static constexpr uint64_t kMostBytes = 16;
};

// Each access is in one of them at most. Between the members of a group are only reads of
// places that do not depend on what they read: so all may be recorded behind the last.
std::vector<ReadGroup> group_reads(const std::vector<Access>& accesses);

}  // namespace foretrace::instrument
