// Atomic operations of code with the plugin's hooks: no windows, they cannot race.
// They are synchronisation for noise and scripts.
#include <cstdint>

#include "runtime/real.h"
#include "steering/sync.h"

using foretrace::steering::Site;

// There is no lock around the operation: a value that is handed back.
FORETRACE_INTERCEPT void* __foretrace_atomic_begin(const void*) { return nullptr; }

#define FORETRACE_ATOMIC(name)                                                     \
  FORETRACE_INTERCEPT void __foretrace_atomic_##name(void*, const void*, uint32_t, \
                                                     const Site* site) {           \
    foretrace::steering::pass_atomic(site);                                        \
  }
FORETRACE_ATOMIC(read)
FORETRACE_ATOMIC(write)
FORETRACE_ATOMIC(update)
FORETRACE_INTERCEPT void __foretrace_atomic_exchange(void*, const void*, uint32_t, uint32_t,
                                                     const Site* site) {
  foretrace::steering::pass_atomic(site);
}
FORETRACE_INTERCEPT void __foretrace_fence() {}
