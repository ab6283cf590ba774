// What `__foretrace_active` says to the hooks of the compiler plugin; 0: they are not called.
#pragma once

#include <cstdint>

namespace foretrace::runtime {

inline constexpr uint8_t kRecording = 1;
inline constexpr uint8_t kSteering = 2;

}  // namespace foretrace::runtime
