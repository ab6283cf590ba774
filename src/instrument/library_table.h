// The functions of libc whose accesses are known.
#pragma once

#include <cstdint>

#include <llvm/ADT/StringRef.h>

#include "instrument/library_calls.h"

namespace foretrace::instrument {

inline constexpr uint64_t kNoLimit = UINT64_MAX;
inline constexpr unsigned kResult = UINT8_MAX;  // in the place of an argument

struct Number {
  uint64_t value = 0;
  bool is_argument = false;
};

// One access of a call; LibraryAccess says what these mean.
struct LibraryPart {
  struct Amount {
    LibraryAccess::Amount how = LibraryAccess::Amount::count;
    Number count = {kNoLimit};
    Number factor = {1};
  };
  LibraryAccess::Kind kind = LibraryAccess::Kind::none;
  unsigned argument = 0;
  Amount amount;
  unsigned other = 0;
};

// Which argument is a format, of printf's kind or scanf's.
struct Format {
  enum class Use { none, print, scan } use = Use::none;
  unsigned argument = 0;
};

struct LibraryFunction {
  llvm::StringLiteral name;
  LibraryPart parts[4] = {};
  Format format = {};
};

// Null if there is none of this name.
const LibraryFunction* find_library_function(llvm::StringRef name);

}  // namespace foretrace::instrument
