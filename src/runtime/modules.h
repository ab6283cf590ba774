// The modules (program and libraries) whose code was compiled with
// -fsanitize=thread. Their hooks have no site, only the address that they
// return to; the recorder finds the place in debug information.
#pragma once

#include <cstdint>

namespace foretrace::runtime {

// Looks for modules that were loaded since the last time. Called by __tsan_init,
// which every compiled file calls before anything of it runs.
void find_modules();

// Writes down what was added before the session was there.
void note_modules();

// Whether the address is in code of such a module.
bool is_in_module(uint64_t code_address);

// The number of a place (layout.h, kCodeSite); 0 if it is in no module.
uint32_t code_number(uint64_t code_address);

// The path of the library that has this address; "" for the program itself, or
// if it is not known.
const char* library_of(const void* address);

}  // namespace foretrace::runtime
