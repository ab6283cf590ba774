// What hooks of atomic operations are told beside the size, in the same word. The compiler
// plugin and the runtime share this.
#pragma once

#include <cstdint>

namespace foretrace::runtime {

inline constexpr uint32_t kRelaxed = 1U << 31;          // it orders nothing
inline constexpr uint32_t kRelaxedIfFailed = 1U << 30;  // an exchange that fails orders nothing
inline constexpr uint32_t kSizeMask = 0xFF;

}  // namespace foretrace::runtime
