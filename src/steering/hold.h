// Holding a thread without ever holding it for ever.
#pragma once

#include "steering/report.h"
#include "steering/system.h"
#include "steering/windows.h"

namespace foretrace::steering {

// Whether `done()` came true before time was up.
template <typename Done>
bool hold_until(uint64_t nanoseconds, const Done& done) {
  ReportHeader* const report = report_header();
  if (report != nullptr) ++report->holds;
  stay_in_window();
  const uint64_t end = now() + nanoseconds;
  for (uint32_t round = 0; !done(); ++round) {
    if (now() >= end) {
      if (report != nullptr) ++report->given_up;
      return false;
    }
    if (round < 50) {
      give_way();
    } else {
      pause_for(100 * kMicrosecond);
    }
  }
  return true;
}

}  // namespace foretrace::steering
