// What hooks do at an access.
#pragma once

#include "steering/places.h"
#include "steering/sections.h"
#include "steering/windows.h"

namespace foretrace::steering {

void steer_access(uint64_t address, uint64_t bytes, bool write, SiteRef site, Position position,
                  uint64_t frame);

__attribute__((always_inline)) inline void access(const void* pointer, uint64_t bytes, bool write,
                                                  SiteRef site, Position position) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (pass_by(address, bytes, write, site, FORETRACE_FRAME)) return;
  // A program that nobody steers should hardly notice that it could be.
  if (!steering_on.load(std::memory_order_relaxed)) return;
  steer_access(address, bytes, write, site, position, FORETRACE_FRAME);
}

}  // namespace foretrace::steering
