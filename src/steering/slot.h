// The threads of the program: a slot each, in a table that never moves, so that
// others can look at what a thread is doing.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/site.h"

namespace foretrace::steering {

using runtime::Site;
using runtime::SiteRef;

struct CallFrame {
  uint64_t frame;   // of the hook that told of it: below that of its function
  uint64_t caller;  // where it returns to
  uint64_t turns;   // of the thread when it was called: tells calls with one frame apart
};
inline constexpr uint32_t kMostFrames = 1024;  // deeper ones are left out
inline constexpr uint32_t kOutermost = 4;      // frames around all calls, that never return
inline constexpr uint32_t kMostSlots = 4096;
inline constexpr uint32_t kMostOpenSections = 16;
inline constexpr uint32_t kLookCounts = 4;
inline constexpr uint32_t kNoSlot = UINT32_MAX;

// A section that the thread is in (sections.h).
struct OpenSection {
  uint64_t address;
  uint64_t frame;    // of the hook at its entry
  uint32_t call;     // of the function that it was entered in: how deep,
  uint64_t turns;    // and which
  uint32_t entry;    // which
  uint32_t depth;    // how often it was entered and not left
  uint64_t entered;  // the word that marks the cell
};

// What a thread does now. Other threads read the atomic parts, and the details of
// the window while it is open.
struct alignas(64) Slot {
  // How many windows were opened and closed here: odd while one is open, on the
  // access that the thread is about to make or has just made. Details below are valid
  // while this does not change.
  std::atomic<uint64_t> turns;
  uint64_t address = {};
  uint64_t extent = {};  // its bytes, times two; and one if it writes
  SiteRef site = {};
  uint64_t frame = {};          // of the hook
  std::atomic<uint64_t> hooks;  // that the thread has come by, so far
  std::atomic<uint32_t> depth;  // of `calls`
  uint32_t number = {};         // 0: main; others as they were created

  CallFrame* calls = {};       // with kOutermost in front; the next thread with this slot uses it
  uint64_t turns_before = {};  // of threads that had this slot earlier
  // Reads that only looked, in several counts: processors add to one only after what was
  // added to it before, and that takes longer than all the rest of such a read.
  std::atomic<uint64_t> looks[kLookCounts];
  void count_look(uint64_t at) {
    std::atomic<uint64_t>& count = looks[at / sizeof(uint64_t) % kLookCounts];
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  // Of this thread, so far.
  uint64_t accesses() const {
    uint64_t sum = (turns.load(std::memory_order_relaxed) - turns_before + 1) / 2;
    for (const std::atomic<uint64_t>& count : looks) sum += count.load(std::memory_order_relaxed);
    return sum;
  }
  // What it waits for: a mutex, or something else (1); 0: it runs.
  alignas(64) std::atomic<uint64_t> waits_for;
  SiteRef waits_at = {};
  std::atomic<bool> caught;  // somebody came into the window
  std::atomic<bool> used;
  std::atomic<uint32_t> priority;
  int32_t tid = {};
  char started[192] = {};  // by whom and where, as text for the report
};
extern Slot slots[kMostSlots];
extern std::atomic<uint32_t> slot_count;  // those up to here were used

extern Slot nobody;  // whose window is always open

class Window;

// The calling thread.
struct Self {
  // The slot, while its accesses count and it is in no long hook; else nobody.
  Slot* idle = &nobody;
  uint16_t mark;     // of the slot in cells (windows.h)
  Slot* slot;        // null until its first hook
  bool inside;       // a hook: a signal handler must not disturb it
  bool heals_later;  // an access that has no hook behind it (healing.h)
  bool unwatched;
  bool numbered;
  uint32_t number;
  uint32_t ignoring;     // depth of regions whose accesses are ignored
  Window* window;        // that is open in a hook that may stay in it
  uint64_t sequence;     // of its windows
  uint64_t random;       // state of its generator
  uint64_t noise_spent;  // nanoseconds
  uint64_t seen;         // hooks, for priorities
  SiteRef call_site;     // of the call that the instrumented code makes now
  uint32_t open_count;
  OpenSection open[kMostOpenSections];
  char started[192];
};
extern __thread Self self __attribute__((tls_model("initial-exec")));

inline bool is_window_open(const Slot& slot) {
  return slot.turns.load(std::memory_order_relaxed) % 2 != 0;
}
// Opens the window or closes it.
inline void take_turn(Slot& slot) {
  slot.turns.store(slot.turns.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  // The details of the next window come behind this.
  std::atomic_thread_fence(std::memory_order_release);
}

inline uint32_t index_of(const Slot& slot) { return static_cast<uint32_t>(&slot - slots); }

// Whether anything is to be done at all.
extern std::atomic<bool> steering_on;

// Gives the calling thread its slot; false if there is none left.
bool attach();
// The calling thread ends.
void detach();
// A number for a thread that is about to be created.
uint32_t new_thread_number();

// The next random number of this thread: the same in every run with one seed, as
// long as the thread comes by the same hooks.
inline uint64_t next_random() {
  uint64_t x = (self.random += 0x9E3779B97F4A7C15U);
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
  x = (x ^ x >> 27) * 0x94D049BB133111EBU;
  return x ^ x >> 31;
}

// A region begins (1) or ends (-1) whose accesses are ignored.
inline void change_ignoring(int by) {
  if (by > 0 || self.ignoring > 0) self.ignoring += static_cast<uint32_t>(by);
  self.idle = self.ignoring == 0 && !self.inside && self.slot != nullptr ? self.slot : &nobody;
}

// The right to do something in a hook. Not granted in a signal handler that
// interrupted one.
class Entry {
 public:
  Entry() {
    if (!steering_on.load(std::memory_order_relaxed) || self.inside) return;
    if (self.slot == nullptr) {
      if (self.unwatched || !attach()) return;
    } else if (is_window_open(*self.slot)) {
      return;
    }
    self.inside = true;
    self.idle = &nobody;
    granted_ = true;
  }
  ~Entry() {
    if (!granted_) return;
    self.inside = false;
    if (self.ignoring == 0) self.idle = self.slot;
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  explicit operator bool() const { return granted_; }

 private:
  bool granted_ = false;
};

// ---- the calls that led to where a thread is

// Where the caller's frame begins: the same in all hooks of one call. Other than
// __builtin_frame_address() it needs no register.
#define FORETRACE_FRAME reinterpret_cast<uint64_t>(__builtin_dwarf_cfa())

// How deep the calls are that have not returned when there is one with `frame`. Frames
// of inner calls are below those of outer ones, so counting the ones that have returned
// tells how many are on top: the first few without a branch, which processors would
// often guess wrong.
inline uint32_t depth_above(const Slot& slot, uint64_t frame) {
  const uint32_t before = slot.depth.load(std::memory_order_relaxed);
  const CallFrame* const top = slot.calls + before;
  uint32_t returned = 0;
#pragma GCC unroll 4
  for (uint32_t i = 1; i <= kOutermost; ++i) returned += (top - i)->frame <= frame ? 1U : 0U;
  uint32_t depth = before - returned;
  if (returned < kOutermost) return depth;
  while (depth > 0 && slot.calls[depth - 1].frame <= frame) --depth;
  return depth;
}

// Functions with frames up to `left` have returned.
inline void enter_function(uint64_t frame, uint64_t left, const void* caller) {
  if (self.slot == nullptr || self.inside) return;
  Slot& slot = *self.slot;
  uint32_t depth = caller == nullptr ? 0 : depth_above(slot, left);  // null: it is main
  if (depth < kMostFrames) {
    slot.calls[depth++] = {frame, reinterpret_cast<uint64_t>(caller),
                           slot.turns.load(std::memory_order_relaxed)};
  }
  slot.depth.store(depth, std::memory_order_relaxed);
}

// The hook that has this frame and returns to `returns_to` is the last of its function, which may
// have called it or jumped to it. In the second case it has the frame of a hook that the function's
// caller calls, and returns to where the function does.
inline void leave_function(uint64_t frame, const void* returns_to) {
  if (self.slot == nullptr || self.inside) return;
  Slot& slot = *self.slot;
  const uint32_t before = slot.depth.load(std::memory_order_relaxed);
  uint32_t depth = before;
  while (depth > 0 && slot.calls[depth - 1].frame < frame) --depth;
  const bool has_jumped =
      depth < before && slot.calls[depth].caller == reinterpret_cast<uint64_t>(returns_to);
  if (depth > 0 && slot.calls[depth - 1].frame == frame && !has_jumped) --depth;
  slot.depth.store(depth, std::memory_order_relaxed);
}

// Forgets what was left: `frame` is that of the hook.
inline void settle_calls(uint64_t frame) {
  Slot& slot = *self.slot;
  uint32_t depth = slot.depth.load(std::memory_order_relaxed);
  if (depth == 0 || slot.calls[depth - 1].frame >= frame) return;
  while (depth > 0 && slot.calls[depth - 1].frame < frame) --depth;
  slot.depth.store(depth, std::memory_order_relaxed);
}

}  // namespace foretrace::steering
