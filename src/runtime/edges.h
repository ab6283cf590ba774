// Edges that are no object of the program's: of annotations, OpenMP, and files.
#pragma once

#include <cstdint>

#include "runtime/layout.h"

namespace foretrace::runtime {

// An edge is a location of its own, apart from the object's bytes.
inline uint64_t edge_of(const volatile void* object) {
  return reinterpret_cast<uint64_t>(object) | recording::Record::kEdge;
}

}  // namespace foretrace::runtime
