// Random traces for which other schedules matter.
#pragma once

#include <rapidcheck.h>

#include "property/random_trace.h"

namespace foretrace::testing {

// Threads that mostly nest critical sections.
rc::Gen<RandomTrace> nested_sections();

// Small enough to explore all of their reorderings: some of nested_sections(),
// some with everything that a trace may contain.
rc::Gen<RandomTrace> small_trace();

}  // namespace foretrace::testing
