// The variables that steer the loop that a thread is in (instrument/foreseen_loops.h), as far
// as the loop has read them.
#pragma once

#include <cstdint>

#include "runtime/shadow.h"

namespace foretrace::runtime {

class SteeringReads {
 public:
  void clear() {
    count_ = 0;
    for (uint64_t& places : places_) places = 0;
  }
  // False: there is no more space.
  bool add(uint64_t address, uint64_t end) {
    for (uint32_t i = 0; i < count_; ++i) {
      if (reads_[i].address == address && reads_[i].end == end) return true;
    }
    if (count_ == kMost) return false;
    reads_[count_++] = {address, end};
    for (uint64_t granule = address >> kGranuleShift; granule <= (end - 1) >> kGranuleShift;
         ++granule) {
      places_[word_of(granule)] |= bit_of(granule);
    }
    return true;
  }
  // Whether one of them may be in the granule of an address.
  bool may_be_at(uint64_t address) const {
    const uint64_t granule = address >> kGranuleShift;
    return (places_[word_of(granule)] & bit_of(granule)) != 0;
  }
  // Whether one of them has some of these bytes.
  bool overlap(uint64_t address, uint64_t end) const {
    for (uint32_t i = 0; i < count_; ++i) {
      if (reads_[i].address < end && address < reads_[i].end) return true;
    }
    return false;
  }

 private:
  static uint64_t word_of(uint64_t granule) { return granule / 64 % kWords; }
  static uint64_t bit_of(uint64_t granule) { return uint64_t{1} << granule % 64; }

  static constexpr uint32_t kMost = 16;
  static constexpr uint32_t kWords = 4;
  struct Read {
    uint64_t address;
    uint64_t end;
  };
  uint64_t places_[kWords];  // bits by granule: where they are
  uint32_t count_;
  Read reads_[kMost];
};

}  // namespace foretrace::runtime
