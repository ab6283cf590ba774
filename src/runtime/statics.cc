// What libstdc++ does for the language. Initialisation of local static objects, which the
// compiler guards: the fast path of the guard is an atomic load in the program, which the
// plugin sees. And exceptions.
#include "runtime/once.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

#ifdef FORETRACE_STATIC
extern "C" int __real___cxa_guard_acquire(uint64_t* guard);
extern "C" void __real___cxa_guard_release(uint64_t* guard);
extern "C" void __real___cxa_guard_abort(uint64_t* guard);
extern "C" void __real___cxa_throw(void* object, void* type, void (*destroy)(void*));
#define FORETRACE_NEXT(name, ...) &__real_##name
#else
#include <dlfcn.h>
// libstdc++'s, looked up when first used: a C program has none.
#define FORETRACE_NEXT(name, ...) reinterpret_cast<__VA_ARGS__>(::dlsym(RTLD_NEXT, #name))
#endif

using namespace foretrace::runtime;

FORETRACE_INTERCEPT int __cxa_guard_acquire(uint64_t* guard) {
  static int (*const acquire)(uint64_t*) = FORETRACE_NEXT(__cxa_guard_acquire, int (*)(uint64_t*));
  const int must_initialise = acquire(guard);
  // Some other thread has initialised it, or tried to.
  record_sync(Kind::atomic_read, guard);
  return must_initialise;
}

FORETRACE_INTERCEPT void __cxa_guard_release(uint64_t* guard) {
  static void (*const release)(uint64_t*) =
      FORETRACE_NEXT(__cxa_guard_release, void (*)(uint64_t*));
  record_sync(Kind::atomic_write, guard);
  release(guard);
}

// The constructor has thrown: the next one tries again.
FORETRACE_INTERCEPT void __cxa_guard_abort(uint64_t* guard) {
  static void (*const abort)(uint64_t*) = FORETRACE_NEXT(__cxa_guard_abort, void (*)(uint64_t*));
  record_sync(Kind::atomic_write, guard);
  abort(guard);
}

FORETRACE_INTERCEPT void __cxa_throw(void* object, void* type, void (*destroy)(void*)) {
  using Throw = void (*)(void*, void*, void (*)(void*));
  static const Throw go_on = FORETRACE_NEXT(__cxa_throw, Throw);
  record_throw_in_once();
  go_on(object, type, destroy);
}
