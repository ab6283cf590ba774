// What the runtime knows of a thread, in the thread's own storage.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/layout.h"
#include "runtime/site.h"
#include "runtime/thread_memory.h"

namespace foretrace::runtime {

using recording::Record;

// A function that the thread is in (call_stack.h).
struct CallFrame {
  uint64_t frame;   // of the hook that told of it: below that of its function
  uint64_t caller;  // where it returns to
  uint32_t id;      // of the stack up to here; kNotAsked until it is asked for

  static constexpr uint32_t kNotAsked = UINT32_MAX;
};

// A thread's state. All zeros: the thread has recorded nothing yet.
struct Thread {
  Filter filter;
  ThreadMemory* memory;  // null until the thread records for the first time
  uint64_t window;       // counts the times at which open runs ended,
  uint64_t loop_window;  // and what it was when those ended that are foreseen in a loop
  const char* loop;      // that the thread entered last, of those with foreseen accesses; null
                         // if there is none, or it has changed its course
  uint64_t busy;         // where on the stack the recorder is, for a signal handler must not record
                         // then; 0: the thread is not in it. And kWaiting
  uint64_t settle_at;    // how many records there may be until they are settled
  uint32_t stamp;        // the lower half of the last stamp that it took,
  uint32_t published;    // and of the last one that a record has
  uint32_t range_stretch;
  uint32_t forgotten;         // counts the times at which memory became other memory
  bool unable;                // no ring could be made for it
  bool fenced;                // has recorded a fence
  volatile uint32_t atomics;  // operations that it is in (atomics.cc)
  uint32_t ignoring;          // depth of regions whose accesses are ignored
  uint32_t hidden;            // depth of regions of which nothing is recorded
  uint32_t number;            // in its process; valid if has_number
  bool has_number;
  SiteRef call_site;  // of the call that the instrumented code makes now
  recording::RingHeader* ring;
  Record* records;
  uint64_t ring_mask;
  uint64_t written;
  uint64_t limit;        // up to this many records there is space
  CallFrame* call;       // that it is in (call_stack.h); null until a function was entered
  CallFrame* calls;      // the frame below all functions; likewise
  CallFrame* last_call;  // that there is space for
  uint32_t stack;        // the number of the stack that was recorded last
  uint64_t frame;        // of the hook or interceptor that records
};
extern __thread Thread self FORETRACE_HIDDEN __attribute__((tls_model("initial-exec")));

// Something in ThreadMemory::waiting has to be recorded before the recorder is left. Places on the
// stack are even.
inline constexpr uint64_t kWaiting = 1;

inline uint64_t stack_pointer() {
  uint64_t place;
  __asm__("mov %%rsp, %0" : "=r"(place));
  return place;
}

// Whether this process records at all. Set once, and cleared when the session
// ends before the process.
extern std::atomic<bool> recording_on FORETRACE_HIDDEN;

}  // namespace foretrace::runtime
