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
inline constexpr size_t kCallsBytes = (kMostFrames + 1) * sizeof(CallFrame);

// Where a handler of a signal returns to, once one was installed: nothing else does.
extern std::atomic<const void*> handlers_return_to;
// A handler begins: signals.cc.
void enter_handler();

// Functions with frames up to `left` have returned. The frame below all functions is above all
// others in memory, and so never left.
inline void push_call(uint64_t frame, uint64_t left, const void* caller) {
  CallFrame* call = self.call;
  while (call->frame <= left) --call;
  if (call != self.last_call) {
    *++call = {frame, reinterpret_cast<uint64_t>(caller), CallFrame::kNotAsked};
  }
  self.call = call;
}

// The first function of a thread, main, the handler of a signal, or one that this has called.
__attribute__((noinline)) void enter_first_function(uint64_t frame, uint64_t left,
                                                    const void* caller);
// One that a handler of a signal has called, or what that interrupted.
__attribute__((noinline)) void leave_function_of_handler(uint64_t frame, const void* returns_to);

// `caller`: where it returns to; null: it is main. Called while the program is recorded.
inline void enter_function(uint64_t frame, uint64_t left, const void* caller) {
  if (self.call == nullptr || caller == nullptr ||
      caller == handlers_return_to.load(std::memory_order_relaxed)) {
    return enter_first_function(frame, left, caller);
  }
  push_call(frame, left, caller);
}

// The hook that has this frame and returns to `returns_to` is the last of its function, which may
// have called it or jumped to it. In the second case it has the frame of a hook that the function's
// caller calls, and returns to where the function does.
inline void leave_function(uint64_t frame, const void* returns_to) {
  CallFrame* call = self.call;
  if (call == nullptr) return leave_function_of_handler(frame, returns_to);
  while (call->frame < frame) --call;
  const bool has_jumped =
      call != self.call && call[1].caller == reinterpret_cast<uint64_t>(returns_to);
  if (call->frame == frame && !has_jumped) --call;
  self.call = call;
}

}  // namespace foretrace::runtime
