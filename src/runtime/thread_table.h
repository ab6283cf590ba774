// From libc's threads to the recorder's numbers.
#pragma once

#include <cstdint>

#include <pthread.h>

namespace foretrace::runtime {

// `thread` is the one with this number, and no longer an older one that had the
// same handle.
void thread_table_add(pthread_t thread, uint32_t number);
bool thread_table_find(pthread_t thread, uint32_t& number);
// In the child of fork(): who held its lock is not there.
void release_thread_table();

}  // namespace foretrace::runtime
