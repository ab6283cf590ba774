// What hooks do at an access.
#pragma once

#include "steering/places.h"
#include "steering/sections.h"
#include "steering/windows.h"

namespace foretrace::steering {

// All that pass_by() leaves to do.
void steer_access(uint64_t address, uint64_t bytes, bool write, SiteRef site, Position position,
                  uint64_t frame);

// Where nobody is near this is all, without a stack frame: what else there is to do
// is jumped to.
__attribute__((always_inline)) inline void access(const void* pointer, uint64_t bytes, bool write,
                                                  SiteRef site, Position position) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (pass_by(address, bytes, write, site, FORETRACE_FRAME)) return;
  steer_access(address, bytes, write, site, position, FORETRACE_FRAME);
}

}  // namespace foretrace::steering
