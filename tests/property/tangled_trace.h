// Random traces that consist mostly of nested critical sections.
#pragma once

#include <rapidcheck.h>

#include "property/random_trace.h"

namespace foretrace::testing {

// Of random_trace()'s traces, few have sections that turn out to be ordered only
// long after they ended. In these, sections are many and clashes rare; the names
// and how often a thread does what differ from trace to trace.
rc::Gen<RandomTrace> tangled_trace();

}  // namespace foretrace::testing
