// Where an address of code is: in which file, and where in it.
#pragma once

#include <cstdint>

namespace foretrace::steering {

struct CodePoint {
  const char* path;  // "" if not known
  uint64_t offset;   // the address in the file
  uint64_t bias;     // address in memory minus address in the file
};
CodePoint point_of(uint64_t address);

}  // namespace foretrace::steering
