#include "runtime/thread_memory.h"

#include <sys/mman.h>

#include "runtime/raw_memory.h"

namespace foretrace::runtime {

// The filter of a thread that does much is looked at all over: in one large page it is faster,
// and that page is made at once. But it is all of it, so only a process's first threads have one.
ThreadMemory* map_thread_memory(uint32_t thread) {
  constexpr uint32_t kMostInLargePages = 16;
  constexpr uint64_t kLargePage = uint64_t{2} << 20;
  static_assert(sizeof(Filter::Memory::entries) == kLargePage);
  const uint64_t slack = thread < kMostInLargePages ? kLargePage : 0;
  void* const mapped = raw_mmap(nullptr, sizeof(ThreadMemory) + slack, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  if (slack == 0) return static_cast<ThreadMemory*>(mapped);
  auto* const start = static_cast<char*>(mapped);
  const uint64_t front = -reinterpret_cast<uint64_t>(start) & (kLargePage - 1);
  if (front != 0) raw_munmap(start, front);
  if (front < slack) raw_munmap(start + front + sizeof(ThreadMemory), slack - front);
  ::madvise(start + front, kLargePage, MADV_HUGEPAGE);
  return reinterpret_cast<ThreadMemory*>(start + front);
}

void unmap_thread_memory(ThreadMemory* memory) { raw_munmap(memory, sizeof(ThreadMemory)); }

}  // namespace foretrace::runtime
