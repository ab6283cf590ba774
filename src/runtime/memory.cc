#include "runtime/memory.h"

#include <cerrno>

#include <malloc.h>
#include <pthread.h>

#include "runtime/access.h"
#include "runtime/large_blocks.h"
#include "runtime/modules.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* block);
}

namespace foretrace::runtime {
namespace {

// Larger blocks end the stretch: that is cheaper than to forget them granule by
// granule.
constexpr uint64_t kMostForgotten = 64 << 10;

// The beginning and the end of a block's life are ordered as writes of all of it are:
// they take a stamp only if another thread has used the memory under a later one, as
// its last block. Of larger blocks they always do, which is cheaper than to look.
constexpr uint64_t kLargeBlock = 4096;
// The latest stamp at which a large block died.
std::atomic<uint32_t> last_large_death{0};

void note_large_death(uint32_t stamp) {
  uint32_t last = last_large_death.load(std::memory_order_relaxed);
  while (recording::is_later(stamp, last) &&
         !last_large_death.compare_exchange_weak(last, stamp, std::memory_order_release)) {
  }
}

// Large blocks have a stamp.
void append_ordered(const Entry& entry, Kind kind, uint64_t address, uint64_t bytes,
                    bool must_stamp, SiteRef site) {
  if (must_stamp || range_has_later(address, address + bytes, self.stamp, true)) {
    if (kind == Kind::alloc) entry.append_operand(bytes);
    entry.append_stamped(kind, address, 0, site);
  } else if (kind == Kind::alloc) {
    entry.append(kind, address, 0, site, static_cast<uint32_t>(bytes));
  } else {
    entry.append_free(address, site);
  }
  if (bytes < kLargeBlock) mark_range(address, address + bytes, self.stamp, true);
}

// What the thread knows of a block's memory is over with it.
void forget_block(const Entry& entry, uint64_t address, uint64_t bytes) {
  if (bytes < kMostForgotten) {
    forget_accesses(address, bytes);
  } else {
    entry.begin_stretch();
  }
}

void record_birth(const void* block, uint64_t bytes, SiteRef site) {
  if (block == nullptr || bytes == 0) return;
  const Entry entry;
  if (!entry) return;
  const auto address = reinterpret_cast<uint64_t>(block);
  const bool was_part_of_large =
      recording::is_later(last_large_death.load(std::memory_order_acquire), self.stamp);
  append_ordered(entry, Kind::alloc, address, bytes, bytes >= kLargeBlock || was_part_of_large,
                 site);
  forget_block(entry, address, bytes);
}

// Where code with hooks gives a block back; asked before CallPlace has a place for every
// caller. Other code may be ordered by what is not seen, so what it gives back has no site,
// and is over without a race.
SiteRef site_of_death(const void* return_address) {
  if (!recording_on.load(std::memory_order_relaxed)) return {};
  if (self.call_site.is_known()) return self.call_site;
  return has_sanitizer_hooks(reinterpret_cast<uint64_t>(return_address))
             ? SiteRef::before(return_address)
             : SiteRef();
}

void record_death(void* block, SiteRef site) {
  if (block == nullptr || !recording_on.load(std::memory_order_relaxed)) return;
  const auto address = reinterpret_cast<uint64_t>(block);
  const uint64_t bytes = ::malloc_usable_size(block);
  // Also where the thread records nothing: others may have its addresses next.
  if (bytes >= kKnownBlock) end_large_block(address);
  const Entry entry;
  if (!entry) return;
  append_ordered(entry, Kind::free, address, bytes, bytes >= kLargeBlock, site);
  if (bytes < kLargeBlock) return;
  note_large_death(self.stamp);
  // Of a smaller one whoever has the memory next leaves a later stamp.
  forget_block(entry, address, bytes);
}

void* born(void* block, size_t bytes) {
  record_birth(block, bytes, take_call_site());
  if (bytes >= kKnownBlock && block != nullptr && recording_on.load(std::memory_order_relaxed)) {
    begin_large_block(reinterpret_cast<uint64_t>(block), bytes);
  }
  return block;
}

}  // namespace

void forget_large_deaths() { last_large_death.store(0, std::memory_order_relaxed); }

void* allocate_memory(size_t bytes) { return __libc_malloc(bytes); }
void release_memory(void* block) { __libc_free(block); }

void record_block(const void* block, size_t bytes, SiteRef site) {
  record_birth(block, bytes, site);
}

void record_own_stack() {
  if (!recording_on.load(std::memory_order_relaxed)) return;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
  void* bottom = nullptr;
  size_t bytes = 0;
  if (::pthread_attr_getstack(&attributes, &bottom, &bytes) == 0) {
    record_birth(bottom, bytes, nullptr);
  }
  ::pthread_attr_destroy(&attributes);
}

}  // namespace foretrace::runtime

using namespace foretrace::runtime;

FORETRACE_INTERCEPT void* malloc(size_t bytes) {
  const CallPlace place(__builtin_return_address(0));
  return born(__libc_malloc(bytes), bytes);
}

FORETRACE_INTERCEPT void* calloc(size_t count, size_t bytes) {
  const CallPlace place(__builtin_return_address(0));
  return born(__libc_calloc(count, bytes), count * bytes);
}

FORETRACE_INTERCEPT void free(void* block) {
  const SiteRef site = site_of_death(__builtin_return_address(0));
  const CallPlace place(__builtin_return_address(0));
  record_death(block, site);
  take_call_site();
  __libc_free(block);
}

FORETRACE_INTERCEPT void* realloc(void* block, size_t bytes) {
  const SiteRef site = site_of_death(__builtin_return_address(0));
  const CallPlace place(__builtin_return_address(0));
  // The old block must be dead in the record before another thread can get it,
  // and it is not known yet whether it will die. Its life ends in any case: what
  // realloc() returns is a block of its own.
  record_death(block, site);
  void* const moved = __libc_realloc(block, bytes);
  if (moved == nullptr && bytes > 0 && block != nullptr) {
    record_birth(block, ::malloc_usable_size(block), nullptr);
    return nullptr;
  }
  return born(moved, bytes);
}

FORETRACE_INTERCEPT void* memalign(size_t alignment, size_t bytes) {
  const CallPlace place(__builtin_return_address(0));
  return born(__libc_memalign(alignment, bytes), bytes);
}
FORETRACE_INTERCEPT void* aligned_alloc(size_t alignment, size_t bytes) {
  const CallPlace place(__builtin_return_address(0));
  return born(__libc_memalign(alignment, bytes), bytes);
}
FORETRACE_INTERCEPT int posix_memalign(void** block, size_t alignment, size_t bytes) {
  const CallPlace place(__builtin_return_address(0));
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  const KeepErrno keep;
  void* const made = born(__libc_memalign(alignment, bytes), bytes);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}
