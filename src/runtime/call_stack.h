// The calls that led to where a thread is. Code with hooks tells of each function
// that is entered; what was left is found out by the frames' addresses, so no
// hook is needed for that, and exceptions and longjmp() need no care.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/recorder.h"

namespace foretrace::runtime {

// The frame of the function that this is written in, which code with hooks calls.
#define FORETRACE_FRAME reinterpret_cast<uint64_t>(__builtin_frame_address(0))

inline constexpr uint32_t kMostFrames = 4096;  // deeper ones are left out

// Gives the calling thread its stack of frames; whether it has one.
bool make_call_stack();

// Where a handler of a signal returns to, once one was installed: nothing else does.
extern std::atomic<const void*> handlers_return_to;
// A handler begins: signals.cc.
void enter_handler();

// `caller`: where it returns to; null: it is main. Initialisers that ran before it had frames
// above its own, and have not called it.
inline void enter_function(uint64_t frame, const void* caller) {
  if (!recording_on.load(std::memory_order_relaxed)) return;
  if (caller == nullptr) {
    self.depth = 0;
  } else if (caller == handlers_return_to.load(std::memory_order_relaxed)) {
    enter_handler();
  }
  if (self.calls == nullptr && !make_call_stack()) return;
  while (self.depth > 0 && self.calls[self.depth - 1].frame <= frame) --self.depth;
  if (self.depth == kMostFrames) return;
  self.calls[self.depth++] = {frame, reinterpret_cast<uint64_t>(caller), 0};
}

// The number of the stack at the hook or interceptor with frame self.frame; 0 if
// none is known.
uint32_t current_stack();

}  // namespace foretrace::runtime
