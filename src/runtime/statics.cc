// Initialisation of local static objects of C++, which the compiler guards. The
// fast path of the guard is an atomic load in the program, which the plugin sees.
#include <dlfcn.h>

#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

// libstdc++'s, looked up when first used: a C program has none.
template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace
}  // namespace foretrace::runtime

using namespace foretrace::runtime;

FORETRACE_INTERCEPT int __cxa_guard_acquire(uint64_t* guard) {
  static int (*const acquire)(uint64_t*) = next<int (*)(uint64_t*)>("__cxa_guard_acquire");
  const int must_initialise = acquire(guard);
  // Nothing to initialise: some other thread has, and its write is seen here.
  if (must_initialise == 0) record_sync(Kind::atomic_read, guard);
  return must_initialise;
}

FORETRACE_INTERCEPT void __cxa_guard_release(uint64_t* guard) {
  static void (*const release)(uint64_t*) = next<void (*)(uint64_t*)>("__cxa_guard_release");
  record_sync(Kind::atomic_write, guard);
  release(guard);
}
