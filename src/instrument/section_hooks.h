// Hooks of a program that is built to be healed: where sections begin and end, on both sides of
// the access, and nowhere else.
#pragma once

#include <llvm/IR/Function.h>

#include "instrument/describe.h"
#include "instrument/hooks.h"
#include "instrument/private_memory.h"
#include "instrument/section_points.h"
#include "instrument/sites.h"

namespace foretrace::instrument {

void insert_section_hooks(llvm::Function& function, const SectionPoints& points, const Hooks& hooks,
                          const Describer& describer, const PrivateMemory& private_memory,
                          SiteTable& sites);

}  // namespace foretrace::instrument
