// Ctrl-C: long work stops, and what was found so far is reported.
#pragma once

namespace foretrace {

// From now on a SIGINT is only noted; a second one, before take_interrupt(), ends
// the program.
void catch_interrupt();
// Whether one was noted. May be asked from any thread.
bool interrupted();
// The same; and if so, it has been attended to, and the next one is noted anew.
bool take_interrupt();

}  // namespace foretrace
