// Functions of the C++ library, for the place of the call: operator new calls
// malloc(), std::thread pthread_create(), and only that call would be seen.
#include <cstddef>
#include <new>

#include "runtime/next_function.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

using namespace foretrace::runtime;

// By their names in the object file: the runtime itself has no C++ library.
#define FORETRACE_NEW(name)                             \
  FORETRACE_INTERCEPT void* name(size_t bytes) {        \
    const CallPlace place(__builtin_return_address(0)); \
    FORETRACE_NEXT_FUNCTION(next, #name);               \
    return next.get<void*(size_t)>()(bytes);            \
  }
#define FORETRACE_NEW_WITH(name, T)                      \
  FORETRACE_INTERCEPT void* name(size_t bytes, T more) { \
    const CallPlace place(__builtin_return_address(0));  \
    FORETRACE_NEXT_FUNCTION(next, #name);                \
    return next.get<void*(size_t, T)>()(bytes, more);    \
  }
FORETRACE_NEW(_Znwm)
FORETRACE_NEW(_Znam)
FORETRACE_NEW_WITH(_ZnwmRKSt9nothrow_t, const void*)
FORETRACE_NEW_WITH(_ZnamRKSt9nothrow_t, const void*)
FORETRACE_NEW_WITH(_ZnwmSt11align_val_t, size_t)
FORETRACE_NEW_WITH(_ZnamSt11align_val_t, size_t)

// std::thread::_M_start_thread(std::unique_ptr<_State>, void (*)()); a unique_ptr
// is passed by its address.
FORETRACE_INTERCEPT void
_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    void* thread, void* state, void (*depend)()) {
  const CallPlace place(__builtin_return_address(0));
  FORETRACE_NEXT_FUNCTION(
      next,
      "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");
  next.get<void(void*, void*, void (*)())>()(thread, state, depend);
}
FORETRACE_INTERCEPT void _ZNSt6thread4joinEv(void* thread) {
  const CallPlace place(__builtin_return_address(0));
  FORETRACE_NEXT_FUNCTION(next, "_ZNSt6thread4joinEv");
  next.get<void(void*)>()(thread);
}
