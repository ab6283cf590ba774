// foretrace sections: atomic sections. The group is registered here.
#include "cli/command.h"

namespace foretrace {
namespace {

const CommandRegistration registration({
    .name = "sections",
    .summary = "atomic sections: stretches of code that should not be disturbed",
    .examples = "  foretrace lint --sections all.sections bank.cpp\n"
                "  foretrace sections prune --sections all.sections -o bank.sections -- ./bank",
    .setup = group_setup,
});

}  // namespace
}  // namespace foretrace
