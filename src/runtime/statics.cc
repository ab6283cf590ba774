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
#define FORETRACE_NEXT(variable, name, ...) auto* const variable = &__real_##name
#else
#include "runtime/next_function.h"
#define FORETRACE_NEXT(variable, name, ...)      \
  FORETRACE_NEXT_FUNCTION(next_function, #name); \
  auto* const variable = next_function.get<__VA_ARGS__>()
#endif

using namespace foretrace::runtime;

FORETRACE_INTERCEPT int __cxa_guard_acquire(uint64_t* guard) {
  FORETRACE_NEXT(acquire, __cxa_guard_acquire, int(uint64_t*));
  const int must_initialise = acquire(guard);
  // Some other thread has initialised it, or tried to.
  record_sync(Kind::atomic_read, guard);
  return must_initialise;
}

FORETRACE_INTERCEPT void __cxa_guard_release(uint64_t* guard) {
  FORETRACE_NEXT(release, __cxa_guard_release, void(uint64_t*));
  record_sync(Kind::atomic_write, guard);
  release(guard);
}

// The constructor has thrown: the next one tries again.
FORETRACE_INTERCEPT void __cxa_guard_abort(uint64_t* guard) {
  FORETRACE_NEXT(abort, __cxa_guard_abort, void(uint64_t*));
  record_sync(Kind::atomic_write, guard);
  abort(guard);
}

FORETRACE_INTERCEPT void __cxa_throw(void* object, void* type, void (*destroy)(void*)) {
  FORETRACE_NEXT(go_on, __cxa_throw, void(void*, void*, void (*)(void*)));
  record_throw_in_once();
  go_on(object, type, destroy);
}
