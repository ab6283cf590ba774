// The problematic data access patterns of paper 002, Figure 2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace foretrace::atomic_sets {

// One access of a pattern.
struct PatternAccess {
  bool other;   // by the unit u', not by u
  bool writes;  // a write, not a read
  bool second;  // of the location l2, not l1
};

// Two units of different threads do these accesses in this order. Patterns 1 to 5
// are about one location, the others about two of one set.
struct Pattern {
  uint8_t number;
  uint8_t length;
  std::array<PatternAccess, 4> accesses;
  std::string_view meaning;  // what went wrong

  const PatternAccess& last() const { return accesses[length - 1]; }
  bool has_two_locations() const { return length == 4; }
  // "W_u(l1) R_u'(l1) R_u'(l2) W_u(l2)".
  std::string text() const;
};

inline constexpr size_t kPatternCount = 14;
extern const std::array<Pattern, kPatternCount> kPatterns;

}  // namespace foretrace::atomic_sets
