// What include/foretrace/annotate.h calls, as far as it matters here. Order that a
// program tells of needs no telling: windows see what is really possible. But what
// a program does not want to hear of stays out.
#include "runtime/real.h"
#include "steering/slot.h"
#include "steering/units.h"
#include "steering/windows.h"

using namespace foretrace::steering;

FORETRACE_INTERCEPT void __foretrace_benign_race(const volatile void* object, unsigned long bytes) {
  const Entry entry;
  if (entry && bytes > 0) allow_races(reinterpret_cast<uint64_t>(object), bytes);
}
FORETRACE_INTERCEPT void __foretrace_ignore_begin() { change_ignoring(1); }
FORETRACE_INTERCEPT void __foretrace_ignore_end() { change_ignoring(-1); }
FORETRACE_INTERCEPT void __foretrace_hide_begin() { change_ignoring(1); }
FORETRACE_INTERCEPT void __foretrace_hide_end() { change_ignoring(-1); }
FORETRACE_INTERCEPT void __foretrace_unit_begin(unsigned* /*label*/, const char* name) {
  if (has_units) begin_unit(name);
}
FORETRACE_INTERCEPT void __foretrace_unit_end() {
  if (has_units) end_unit();
}
FORETRACE_INTERCEPT void __foretrace_happens_before(const volatile void* /*object*/) {}
FORETRACE_INTERCEPT void __foretrace_happens_after(const volatile void* /*object*/) {}
FORETRACE_INTERCEPT void __foretrace_atomic_set(const char* /*name*/,
                                                const volatile void* /*object*/,
                                                unsigned long /*bytes*/) {}
FORETRACE_INTERCEPT void __foretrace_wait_begin(const volatile void* /*condition*/,
                                                const volatile void* /*mutex*/) {}
FORETRACE_INTERCEPT void __foretrace_wait_end(const volatile void* /*mutex*/) {}
FORETRACE_INTERCEPT void __foretrace_barrier(const volatile void* /*barrier*/) {}

// ThreadSanitizer's forms of these are the recording runtime's: they call the ones above.

// What a lock of the program's own does inside is its own business.
FORETRACE_INTERCEPT void __tsan_mutex_pre_lock(void*, unsigned) { change_ignoring(1); }
FORETRACE_INTERCEPT void __tsan_mutex_post_lock(void*, unsigned, int) { __foretrace_ignore_end(); }
FORETRACE_INTERCEPT int __tsan_mutex_pre_unlock(void*, unsigned) {
  change_ignoring(1);
  return 0;
}
FORETRACE_INTERCEPT void __tsan_mutex_post_unlock(void*, unsigned) { __foretrace_ignore_end(); }
FORETRACE_INTERCEPT void __tsan_mutex_pre_signal(void*, unsigned) { change_ignoring(1); }
FORETRACE_INTERCEPT void __tsan_mutex_post_signal(void*, unsigned) { __foretrace_ignore_end(); }
FORETRACE_INTERCEPT void __tsan_mutex_pre_divert(void*, unsigned) { __foretrace_ignore_end(); }
FORETRACE_INTERCEPT void __tsan_mutex_post_divert(void*, unsigned) { change_ignoring(1); }
