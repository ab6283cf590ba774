// A place in the source, as the compiler plugin lays it out in the program.
#pragma once

#include <cstdint>

namespace foretrace::runtime {

// The plugin (src/instrument) writes these as constants: keep both the same.
struct Site {
  uint32_t number;  // 0 until the first record that names it
  uint32_t line;
  uint32_t column;
  uint32_t element;  // the size of the array's element that is accessed, or 0
  const char* file;
  const char* function;
  const char* what;  // "Account::balance", "counter"; empty if not known
};

}  // namespace foretrace::runtime
