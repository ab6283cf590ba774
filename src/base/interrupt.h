// Ctrl-C: long work stops, and what was found so far is reported.
#pragma once

namespace foretrace {

// From now on the first SIGINT is only noted; a second one ends the program.
void catch_interrupt();
// Whether it came. May be asked from any thread.
bool interrupted();

}  // namespace foretrace
