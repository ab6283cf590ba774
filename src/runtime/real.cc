#include "runtime/real.h"

#ifdef FORETRACE_STATIC

// The linker knows them by these names (--wrap).
#define FORETRACE_DECLARE(name, version) extern "C" decltype(name) __real_##name;
FORETRACE_REAL_FUNCTIONS(FORETRACE_DECLARE)
#undef FORETRACE_DECLARE

namespace foretrace::runtime {

const RealFunctions& real() {
#define FORETRACE_TAKE(name, version) __real_##name,
  static constexpr RealFunctions kFunctions = {FORETRACE_REAL_FUNCTIONS(FORETRACE_TAKE)};
#undef FORETRACE_TAKE
  return kFunctions;
}

}  // namespace foretrace::runtime

#else

#include <atomic>

#include <dlfcn.h>

namespace foretrace::runtime {
namespace {

RealFunctions functions;
std::atomic<bool> known{false};

// RTLD_NEXT alone gives the oldest version, which for conditions is another
// structure and hangs.
template <typename Function>
void look_up(Function& function, const char* name, const char* version) {
  void* found = ::dlvsym(RTLD_NEXT, name, version);
  if (found == nullptr) found = ::dlsym(RTLD_NEXT, name);
  function = reinterpret_cast<Function>(found);
}

}  // namespace

const RealFunctions& real() {
  if (!known.load(std::memory_order_acquire)) {
    // Two threads that do this at the same time write the same.
#define FORETRACE_LOOK_UP(name, version) look_up(functions.name, #name, version);
    FORETRACE_REAL_FUNCTIONS(FORETRACE_LOOK_UP)
#undef FORETRACE_LOOK_UP
    known.store(true, std::memory_order_release);
  }
  return functions;
}

}  // namespace foretrace::runtime

// Before main: later, dlsym() would take away what the program's own dlerror() has to say.
static __attribute__((constructor(101))) void look_up_real_functions() {
  foretrace::runtime::real();
  ::dlerror();  // some have no such version
}

#endif
