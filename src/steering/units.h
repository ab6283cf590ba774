// Units (FORETRACE_UNIT, FORETRACE_ATOMIC of foretrace/annotate.h) as atomic
// sections: each pair of accesses to one address that follow each other inside of a
// unit is told once. `foretrace sections units` makes a file of sections of them.
#pragma once

#include "steering/slot.h"

namespace foretrace::steering {

extern bool has_units;  // whether somebody wants to know
void prepare_units();

void begin_unit(const char* name);
void end_unit();
// Inside of a unit or not.
void note_unit_access(uint64_t address, bool write, SiteRef site);

}  // namespace foretrace::steering
