// Memory of the runtime's own, by system calls: the runtime stands in front of mmap()
// (mappings.cc), and must not meet itself.
#pragma once

#include <cstddef>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace foretrace::runtime {

inline void* raw_mmap(void* address, size_t bytes, int protection, int flags, int file,
                      off_t offset) {
  return reinterpret_cast<void*>(
      ::syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}

inline int raw_munmap(void* address, size_t bytes) {
  return static_cast<int>(::syscall(SYS_munmap, address, bytes));
}

}  // namespace foretrace::runtime
