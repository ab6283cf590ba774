// Memory that the program gets from the kernel: what is mapped where something else was is
// new memory, and what is given back is none of the program's any more.
#include <cstdarg>

#include "runtime/memory.h"
#include "runtime/raw_memory.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

// Before others can have the memory: it begins anew, whoever gets it.
void give_back(const void* address, size_t bytes) {
  if (recording_on.load(std::memory_order_relaxed)) record_block(address, bytes, SiteRef());
}

void* got(void* memory, size_t bytes) {
  const SiteRef site = take_call_site();
  if (memory != MAP_FAILED && recording_on.load(std::memory_order_relaxed)) {
    record_block(memory, bytes, site);
  }
  return memory;
}

}  // namespace
}  // namespace foretrace::runtime

using namespace foretrace::runtime;

FORETRACE_INTERCEPT void* mmap(void* address, size_t bytes, int protection, int flags, int file,
                               off_t offset) noexcept {
  const CallPlace place(__builtin_return_address(0));
  return got(raw_mmap(address, bytes, protection, flags, file, offset), bytes);
}
FORETRACE_INTERCEPT void* mmap64(void* address, size_t bytes, int protection, int flags, int file,
                                 off64_t offset) noexcept {
  const CallPlace place(__builtin_return_address(0));
  return got(raw_mmap(address, bytes, protection, flags, file, offset), bytes);
}
FORETRACE_INTERCEPT int munmap(void* address, size_t bytes) noexcept {
  const CallPlace place(__builtin_return_address(0));
  give_back(address, bytes);
  return raw_munmap(address, bytes);
}
FORETRACE_INTERCEPT void* mremap(void* address, size_t bytes, size_t new_bytes, int flags,
                                 ...) noexcept {
  const CallPlace place(__builtin_return_address(0));
  va_list more;
  va_start(more, flags);
  void* const wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  give_back(address, bytes);
  return got(
      reinterpret_cast<void*>(::syscall(SYS_mremap, address, bytes, new_bytes, flags, wanted)),
      new_bytes);
}
