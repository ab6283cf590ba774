// The beginning of a thread's state: what code of the plugin looks at itself, where a call of
// a hook for each access would cost too much (instrument/inlined_check.h).
#pragma once

#include <cstdint>

#include "runtime/filter.h"
#include "runtime/shadow.h"

namespace foretrace::runtime {

struct InlinedState {
  Filter filter;
  uint32_t stamp;  // the lower half of the last stamp that the thread took
  Shadow shadow;   // a copy; all zeros until the filter is started
};

}  // namespace foretrace::runtime
