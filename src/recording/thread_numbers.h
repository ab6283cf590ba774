// Threads of a process, counted as they are met.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"

namespace foretrace {

// What is kept by thread is kept by these: the numbers that a recording has may be any, in one that
// is damaged or where creating threads failed again and again.
class ThreadNumbers {
 public:
  uint32_t of(uint32_t recorded) {
    if (recorded < low_.size() && low_[recorded] != kNone) return low_[recorded];
    return look_up(recorded);
  }
  uint32_t recorded(uint32_t number) const { return recorded_[number]; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint32_t kLow = 4096;

  uint32_t look_up(uint32_t recorded) {
    const auto [known, is_new] =
        numbers_.try_emplace(recorded, static_cast<uint32_t>(recorded_.size()));
    if (is_new) recorded_.push_back(recorded);
    if (recorded < kLow) {
      if (recorded >= low_.size()) low_.resize(recorded + 1, kNone);
      low_[recorded] = known->second;
    }
    return known->second;
  }

  std::vector<uint32_t> low_;  // by recorded number, as most are small
  tsl::robin_map<uint32_t, uint32_t, IntegerHash> numbers_;
  std::vector<uint32_t> recorded_;
};

}  // namespace foretrace
