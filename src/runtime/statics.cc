// What libstdc++ does for the language. Initialisation of local static objects, which the
// compiler guards: the fast path of the guard is an atomic load in the program, which the
// plugin sees. And exceptions.
#include "runtime/next_function.h"
#include "runtime/once.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

using namespace foretrace::runtime;

FORETRACE_INTERCEPT int __cxa_guard_acquire(uint64_t* guard) {
  FORETRACE_BEHIND(acquire, __cxa_guard_acquire, int(uint64_t*));
  const int must_initialise = acquire(guard);
  // Some other thread has initialised it, or tried to.
  record_sync(Kind::atomic_read, guard);
  return must_initialise;
}

FORETRACE_INTERCEPT void __cxa_guard_release(uint64_t* guard) {
  FORETRACE_BEHIND(release, __cxa_guard_release, void(uint64_t*));
  record_sync(Kind::atomic_write, guard);
  release(guard);
}

// The constructor has thrown: the next one tries again.
FORETRACE_INTERCEPT void __cxa_guard_abort(uint64_t* guard) {
  FORETRACE_BEHIND(give_up, __cxa_guard_abort, void(uint64_t*));
  record_sync(Kind::atomic_write, guard);
  give_up(guard);
}

FORETRACE_INTERCEPT void __cxa_throw(void* object, void* type, void (*destroy)(void*)) {
  FORETRACE_BEHIND(go_on, __cxa_throw, void(void*, void*, void (*)(void*)));
  record_throw_in_once();
  go_on(object, type, destroy);
}
