// What printf() and scanf() do with their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <llvm/ADT/StringRef.h>

namespace foretrace::instrument {

// A conversion that accesses memory by one of the arguments.
struct Conversion {
  unsigned argument;                                     // the first behind the format is 0
  bool is_string;                                        // else `bytes`
  uint64_t bytes = 0;                                    //
  uint64_t most = UINT64_MAX;                            // of a string that is printed
  std::optional<unsigned> most_argument = std::nullopt;  // the argument that says so instead
  unsigned number = 0;  // of those that scanf() counts in its result
};

// Strings that are read.
std::vector<Conversion> printed(llvm::StringRef format);
// What is written, if it is among those that the result counts.
std::vector<Conversion> scanned(llvm::StringRef format);

}  // namespace foretrace::instrument
