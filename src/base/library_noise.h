// Races inside of system libraries that are known, and nothing that a program could do
// something about: findings there are suppressed unless asked for (findings/filter.cc).
#pragma once

#include <string_view>

namespace foretrace {

// Strings of the old C++ library (_GLIBCXX_USE_CXX11_ABI=0) share their bytes and
// count who does; half of the counting is inside the library, where no hook sees
// it. std::ctype keeps what it was asked for in an array that every thread fills with
// the same (std::regex asks). And std::atomic<std::shared_ptr> of libstdc++ 12 has a lock that
// load() lets go without telling whoever takes it next.
// Patterns of names.
inline constexpr std::string_view kNoisyFunctions[] = {
    "std::*::_M_rep",      "std::*::_M_is_leaked",  "std::*::_Rep::*",
    "std::ctype<char>::*", "std::_Sp_atomic<*>::*",
};

}  // namespace foretrace
