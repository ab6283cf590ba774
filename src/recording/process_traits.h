// What the events of a process depend on, beside its memory, that is only known when all of its
// records have been seen.
#pragma once

#include "recording/waits.h"

namespace foretrace {

struct ProcessTraits {
  // Some thread made a fence, after which relaxed operations may order.
  bool has_fences = false;
  InterruptedWaits interrupted_waits = {};
};

}  // namespace foretrace
