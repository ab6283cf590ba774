// The hooks that GCC and Clang put in front of accesses with -fsanitize=thread.
// Those of volatile variables do nothing, and atomic operations are left to the
// recording runtime, which does them.
#include "runtime/real.h"
#include "steering/access.h"
#include "steering/healing.h"

using foretrace::steering::access;
using foretrace::steering::Position;
using foretrace::steering::SiteRef;

#define FORETRACE_HERE SiteRef::before(__builtin_return_address(0))
#define FORETRACE_HOOK(name, bytes, write)                       \
  FORETRACE_INTERCEPT void name(const void* p) {                 \
    access(p, bytes, write, FORETRACE_HERE, Position::in_front); \
  }
#define FORETRACE_BOTH(name, bytes)                              \
  FORETRACE_INTERCEPT void name(const void* p) {                 \
    access(p, bytes, false, FORETRACE_HERE, Position::in_front); \
    access(p, bytes, true, FORETRACE_HERE, Position::in_front);  \
  }
#define FORETRACE_PC(name, bytes, write)                              \
  FORETRACE_INTERCEPT void name(const void* p, const void* pc) {      \
    access(p, bytes, write, SiteRef::before(pc), Position::in_front); \
  }
#define FORETRACE_NOTHING(name) \
  FORETRACE_INTERCEPT void name(const void*) {}
#define FORETRACE_SIZE(size)                               \
  FORETRACE_HOOK(__tsan_read##size, size, false)           \
  FORETRACE_HOOK(__tsan_write##size, size, true)           \
  FORETRACE_BOTH(__tsan_read_write##size, size)            \
  FORETRACE_HOOK(__tsan_unaligned_read##size, size, false) \
  FORETRACE_HOOK(__tsan_unaligned_write##size, size, true) \
  FORETRACE_BOTH(__tsan_unaligned_read_write##size, size)  \
  FORETRACE_NOTHING(__tsan_volatile_read##size)            \
  FORETRACE_NOTHING(__tsan_volatile_write##size)           \
  FORETRACE_NOTHING(__tsan_unaligned_volatile_read##size)  \
  FORETRACE_NOTHING(__tsan_unaligned_volatile_write##size) \
  FORETRACE_PC(__tsan_read##size##_pc, size, false)        \
  FORETRACE_PC(__tsan_write##size##_pc, size, true)
FORETRACE_SIZE(1)
FORETRACE_SIZE(2)
FORETRACE_SIZE(4)
FORETRACE_SIZE(8)
FORETRACE_SIZE(16)

FORETRACE_INTERCEPT void __tsan_read_range(const void* p, unsigned long bytes) {
  access(p, bytes, false, FORETRACE_HERE, Position::in_front);
}
FORETRACE_INTERCEPT void __tsan_write_range(const void* p, unsigned long bytes) {
  access(p, bytes, true, FORETRACE_HERE, Position::in_front);
}
FORETRACE_INTERCEPT void __tsan_vptr_read(void** p) {
  access(p, 8, false, FORETRACE_HERE, Position::in_front);
}
// A destructor that writes the value that is there already changes nothing.
FORETRACE_INTERCEPT void __tsan_vptr_update(void** p, void* value) {
  if (*p != value) access(p, 8, true, FORETRACE_HERE, Position::in_front);
}
FORETRACE_INTERCEPT void __tsan_func_entry(const void* caller) {
  foretrace::steering::enter_function(FORETRACE_FRAME, caller);
}
// Accesses have no hook behind them: this is, for the last one of a function.
FORETRACE_INTERCEPT void __tsan_func_exit() {
  if (!foretrace::steering::self.heals_later) return;
  const foretrace::steering::Entry entry;
  if (entry) foretrace::steering::settle_healing();
}
