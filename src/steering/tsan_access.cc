// Accesses of programs that were built with -fsanitize=thread. Atomic operations are
// left to the recording runtime, which does them.
#include "steering/access.h"
#include "steering/healing.h"

#define FORETRACE_ACCESS(write, size, pointer, site) \
  foretrace::steering::access(pointer, size, write, site, foretrace::steering::Position::in_front)
#define FORETRACE_VOLATILE(write, size, pointer, site) static_cast<void>(pointer)
#define FORETRACE_RANGE(write, bytes, pointer, site) FORETRACE_ACCESS(write, bytes, pointer, site)
#include "runtime/tsan_hooks.h"

FORETRACE_INTERCEPT void __tsan_func_entry(const void* caller) {
  foretrace::steering::enter_function(FORETRACE_FRAME, FORETRACE_FRAME, caller);
}
// Accesses have no hook behind them: this is, for the last one of a function.
FORETRACE_INTERCEPT void __tsan_func_exit() {
  foretrace::steering::leave_function(FORETRACE_FRAME, __builtin_return_address(0));
  if (!foretrace::steering::self.heals_later) return;
  const foretrace::steering::Entry entry;
  if (entry) foretrace::steering::settle_healing();
}
