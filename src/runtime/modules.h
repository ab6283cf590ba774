// The modules (program and libraries) whose code has hooks. Those of
// -fsanitize=thread have no site, only the address that they return to, and so
// have calls: the recorder finds the place in debug information.
#pragma once

#include <cstdint>

namespace foretrace::runtime {

// At the start of a recording: writes down the modules that are there.
void start_modules();

// Looks for modules that were loaded since the last time. Called at the start, by
// __tsan_init, which every file with such hooks calls before anything of it runs,
// and when an address is in no module that is known.
void find_modules();
// In the child of fork(): who was looking for some is not there.
void release_modules();

// Whether the address is in code that was compiled with -fsanitize=thread.
bool has_sanitizer_hooks(uint64_t code_address);

// The number of a place (layout.h, kCodeSite); 0 if it is in no module.
uint32_t code_number(uint64_t code_address);

// The path of the library that has this address; "" for the program itself, or
// if it is not known.
const char* library_of(const void* address);

}  // namespace foretrace::runtime
