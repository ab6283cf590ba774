// Races inside of system libraries that are known, and nothing that a program could do
// something about: findings there are suppressed unless asked for (findings/filter.cc).
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/text.h"

namespace foretrace {

// Strings of the old C++ library (_GLIBCXX_USE_CXX11_ABI=0) share their bytes and
// count who does; half of the counting is inside the library, where no hook sees
// it. And std::ctype keeps what it was asked for in an array that every thread fills with
// the same (std::regex asks).
inline constexpr std::string_view kNoisyFunctions[] = {
    "std::*::_M_rep",
    "std::*::_M_is_leaked",
    "std::*::_Rep::*",
    "std::ctype<char>::*",
};

inline bool is_noisy(std::string_view function) {
  return std::any_of(std::begin(kNoisyFunctions), std::end(kNoisyFunctions),
                     [&](std::string_view pattern) { return glob_match(pattern, function); });
}

}  // namespace foretrace
