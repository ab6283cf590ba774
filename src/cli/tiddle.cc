// foretrace tiddle: what there is for traces that people write. Each command of
// it is a file of its own.
#include "cli/command.h"

namespace foretrace {
namespace {

const CommandRegistration registration({
    .name = "tiddle",
    .summary = "write a trace, get a program; check, format and vary traces",
    .examples = "  foretrace tiddle check race.tiddle\n"
                "  foretrace tiddle compile race.tiddle --to c++ -o race.cpp\n"
                "  foretrace tiddle equivalents race.tiddle --count",
    .setup = group_setup,
});

}  // namespace
}  // namespace foretrace
