#include "runtime/next_function.h"

#include "runtime/real.h"
#include "runtime/shadow.h"

using foretrace::runtime::NextFunction;

// The list of FORETRACE_NEXT_FUNCTION: the linker knows where its section is. A static program
// has none.
extern "C" {
extern NextFunction* __start_foretrace_next_functions[] __attribute__((weak)) FORETRACE_HIDDEN;
extern NextFunction* __stop_foretrace_next_functions[] __attribute__((weak)) FORETRACE_HIDDEN;
}

namespace {

__attribute__((constructor(101))) void look_up_all() {
  for (NextFunction** next = __start_foretrace_next_functions;
       next != __stop_foretrace_next_functions; ++next) {
    (*next)->look_up();
  }
  if (!foretrace::runtime::kLinkedStatically) ::dlerror();  // some are in no library
}

}  // namespace
