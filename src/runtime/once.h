// Once-only initialisation whose function throws.
#pragma once

namespace foretrace::runtime {

// An exception is thrown. If it leaves the function of a once-only initialisation, the
// next one who tries comes after what was done so far.
void record_throw_in_once();

}  // namespace foretrace::runtime
