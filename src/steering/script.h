// The script that `reproduce` wants to see: steps of threads in an order, and at
// the end accesses that meet. A thread that comes to a step before its turn is
// held; what the script does not contain goes on as ever; and nobody is held for
// longer than the settings say: then the steps before are left out.
#pragma once

#include "steering/places.h"

namespace foretrace::steering {

void follow_script_at_sync(SiteRef site);
// With the window of the access open.
void follow_script_at_access(bool write, SiteRef site);

extern bool has_script;
void prepare_script();

}  // namespace foretrace::steering
