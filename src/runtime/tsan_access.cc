// Accesses of programs that were built with -fsanitize=thread.
#include "runtime/call_stack.h"
#include "runtime/modules.h"
#include "runtime/ranges.h"

#define FORETRACE_ACCESS(write, size, pointer, site) \
  foretrace::runtime::access<write, size>(pointer, site)
#define FORETRACE_VOLATILE FORETRACE_ACCESS
#define FORETRACE_RANGE(write, bytes, pointer, site) \
  foretrace::runtime::access_range<write>(pointer, bytes, site)
#include "runtime/tsan_hooks.h"

FORETRACE_INTERCEPT void __tsan_init() { foretrace::runtime::find_modules(); }
FORETRACE_INTERCEPT void __tsan_func_entry(const void* caller) {
  if (!foretrace::runtime::recording_on.load(std::memory_order_relaxed)) return;
  foretrace::runtime::enter_function(FORETRACE_FRAME, FORETRACE_FRAME, caller);
}
// A function with more locals than one that was called in front of it looks as if that one had
// called it, had it not been left here.
FORETRACE_INTERCEPT void __tsan_func_exit() {
  foretrace::runtime::leave_function(FORETRACE_FRAME, __builtin_return_address(0));
}
FORETRACE_INTERCEPT void* __tsan_external_register_tag(const char* /*name*/) { return nullptr; }
FORETRACE_INTERCEPT void __tsan_external_register_header(void* /*tag*/, const char* /*header*/) {}
FORETRACE_INTERCEPT void __tsan_external_assign_tag(void* /*p*/, void* /*tag*/) {}
