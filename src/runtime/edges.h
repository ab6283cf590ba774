// Edges that are no operation of libc's: of annotations and of OpenMP.
#pragma once

#include <cstdint>

namespace foretrace::runtime {

// An edge is a location of its own, apart from the object's bytes: no address of
// a program has this bit.
inline uint64_t edge_of(const volatile void* object) {
  return reinterpret_cast<uint64_t>(object) | uint64_t{1} << 47;
}

}  // namespace foretrace::runtime
