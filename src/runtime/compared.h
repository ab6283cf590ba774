// How much of two strings a comparison looks at. Without <cstring>: memory_calls.cc.
#pragma once

#include <cstddef>

namespace foretrace::runtime {

// Up to where they differ or end, `most` bytes at most.
inline size_t compared_bytes(const char* a, const char* b, size_t most) {
  size_t bytes = 0;
  while (bytes < most && a[bytes] == b[bytes] && a[bytes] != '\0') ++bytes;
  return bytes < most ? bytes + 1 : most;
}

}  // namespace foretrace::runtime
