// Reads of one object that the recorder looks at all at once.
#pragma once

#include <cstdint>
#include <vector>

#include "instrument/access.h"
#include "instrument/sure_ways.h"

namespace foretrace::instrument {

struct ReadGroup {
  std::vector<size_t> members;  // of the accesses, as they are made
  std::vector<size_t> later;    // those that surely come behind them, and are made early
  llvm::Value* base;
  int64_t offset;  // from the base to the first byte of all
  uint64_t bytes;  // a bit for each byte from there on that is read

  // They are in four granules of the recorder at most where they begin at a multiple of 8
  // (runtime::ReadGroup::must_agree).
  static constexpr uint64_t kMostBytes = 56;
};

// Each access is in one of them at most. Between the members of a group are only reads of
// places that do not depend on what they read: so all may be recorded behind the last. What is
// read later is on the same way: neither where it is nor whether it is read depends on what is
// read in between, and it is not written there. (early_reads.h)
std::vector<ReadGroup> group_reads(const std::vector<Access>& accesses, const SureWays& ways);

}  // namespace foretrace::instrument
