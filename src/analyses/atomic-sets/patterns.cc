#include "analyses/atomic-sets/patterns.h"

#include <fmt/format.h>

namespace foretrace::atomic_sets {
namespace {

// The paper's notation: R and W of u, r and w of u'; 1 and 2 are the locations.
constexpr PatternAccess access(char op, char location) {
  return {op == 'r' || op == 'w', op == 'W' || op == 'w', location == '2'};
}

constexpr Pattern pattern(uint8_t number, std::string_view accesses, std::string_view meaning) {
  Pattern made = {number, static_cast<uint8_t>(accesses.size() / 2), {}, meaning};
  for (size_t i = 0; i < made.length; ++i) {
    made.accesses[i] = access(accesses[2 * i], accesses[2 * i + 1]);
  }
  return made;
}

constexpr std::string_view kMixedWrites =
    "both units write both locations, and each location keeps the value of another unit";
constexpr std::string_view kHalfSeen =
    "the other unit reads both locations while only one of them has been changed";
constexpr std::string_view kTornRead =
    "the unit reads one location from before and one from after the other unit's changes";

}  // namespace

constinit const std::array<Pattern, kPatternCount> kPatterns = {{
    pattern(1, "R1w1W1", "the unit writes because of a value that was replaced after it was read"),
    pattern(2, "R1w1R1", "the unit reads the location twice and sees two different values"),
    pattern(3, "W1r1W1", "the other unit sees a value that was still to be changed"),
    pattern(4, "W1w1R1", "the unit reads another value than the one it wrote last"),
    pattern(5, "W1w1W1", "the value that the other unit wrote is lost"),
    pattern(6, "W1w1w2W2", kMixedWrites),
    pattern(7, "W1w2w1W2", kMixedWrites),
    pattern(8, "W1w2W2w1", kMixedWrites),
    pattern(9, "W1r1r2W2", kHalfSeen),
    pattern(10, "W1r2r1W2", kHalfSeen),
    pattern(11, "R1w1w2R2", kTornRead),
    pattern(12, "R1w2w1R2", kTornRead),
    pattern(13, "R1w2R2w1", kTornRead),
    pattern(14, "W1r2W2r1",
            "the other unit reads one location from before and one from after the unit's changes"),
}};

std::string Pattern::text() const {
  std::string text;
  for (size_t i = 0; i < length; ++i) {
    const PatternAccess& one = accesses[i];
    text += fmt::format("{}{}_{}({})", i == 0 ? "" : " ", one.writes ? 'W' : 'R',
                        one.other ? "u'" : "u",
                        !has_two_locations() ? "l"
                        : one.second         ? "l2"
                                             : "l1");
  }
  return text;
}

}  // namespace foretrace::atomic_sets
