// Births and deaths of blocks of memory, so that an address that is used again
// is a new location.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/site.h"

namespace foretrace::runtime {

// libc's own allocator, unrecorded.
void* allocate_memory(size_t bytes);
void release_memory(void* block);

// Memory that the program gets from an allocator that is not libc's.
void record_block(const void* block, size_t bytes, SiteRef site = nullptr);

// The stack of a thread that starts may be that of one that has ended.
void record_own_stack();

// In the child of fork(), where stamps begin anew.
void forget_large_deaths();

}  // namespace foretrace::runtime
