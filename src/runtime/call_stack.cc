#include "runtime/call_stack.h"

#include <sys/mman.h>

#include "runtime/modules.h"
#include "runtime/raw_memory.h"
#include "runtime/real.h"

namespace foretrace::runtime {
namespace {

// From the stack without its last call, and that call, to the stack: by a hash of
// both. The table is made once and only filled; two stacks with one hash would be
// shown as one.
struct KnownStack {
  std::atomic<uint64_t> hash;
  std::atomic<uint32_t> id;
};
constexpr uint64_t kPlaces = 1U << 20;
constexpr uint64_t kMostStacks = kPlaces / 4 * 3;
std::atomic<KnownStack*> table{nullptr};

uint64_t hash_of(uint32_t parent, uint64_t caller) {
  uint64_t hash = (caller ^ uint64_t{parent} << 40) * 0x9E3779B97F4A7C15U;
  hash ^= hash >> 29 ^ parent;
  hash *= 0xBF58476D1CE4E5B9U;
  return (hash ^ hash >> 32) | 1;
}

KnownStack* the_table() {
  KnownStack* known = table.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  void* const memory = raw_mmap(nullptr, kPlaces * sizeof(KnownStack), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (table.compare_exchange_strong(known, static_cast<KnownStack*>(memory))) {
    return static_cast<KnownStack*>(memory);
  }
  raw_munmap(memory, kPlaces * sizeof(KnownStack));
  return known;
}

uint32_t place_of(uint64_t caller) {
  if (const uint32_t known = code_number(caller - 1)) return known;
  find_modules();
  return code_number(caller - 1);
}

// The stack that `parent` becomes by what has this key: a call, or a site. A new one has the
// place that make_place() tells. 0: there is no more space.
template <typename MakePlace>
uint32_t find_stack(uint32_t parent, uint64_t key, MakePlace make_place) {
  KnownStack* const known = the_table();
  if (known == nullptr) return 0;
  const uint64_t hash = hash_of(parent, key);
  // Calls that follow each other have numbers that do: so their places are close.
  for (uint64_t place = (uint64_t{parent} * 4 + (hash >> 58)) & (kPlaces - 1);;
       place = (place + 1) & (kPlaces - 1)) {
    uint64_t there = known[place].hash.load(std::memory_order_acquire);
    if (there == 0) {
      const uint32_t id = new_stack(parent, make_place(), kMostStacks);
      if (id == 0) return 0;
      if (known[place].hash.compare_exchange_strong(there, hash)) {
        known[place].id.store(id, std::memory_order_release);
        return id;
      }
    }
    if (there != hash) continue;
    // Whoever puts the hash there puts the number there next.
    for (;;) {
      if (const uint32_t id = known[place].id.load(std::memory_order_acquire)) return id;
    }
  }
}

// The stack that a call makes of `parent`. If there is no more space, `parent`.
uint32_t stack_with(uint32_t parent, uint64_t caller) {
  const uint32_t stack = find_stack(parent, caller, [=] { return place_of(caller); });
  return stack != 0 ? stack : parent;
}

// Gives the calling thread its stack of frames; whether it has one.
bool make_call_stack() {
  if (self.unable) return false;
  const KeepErrno keep;
  void* const memory = raw_mmap(nullptr, kMostFrames * sizeof(CallFrame), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  self.calls = static_cast<CallFrame*>(memory);
  self.depth = 0;
  return true;
}

}  // namespace

void enter_first_function(uint64_t frame, const void* caller) {
  if (caller == nullptr) {
    self.depth = 0;  // initialisers that ran before main had frames above its own
  } else if (caller == handlers_return_to.load(std::memory_order_relaxed)) {
    enter_handler();
  }
  if (self.calls != nullptr || make_call_stack()) push_call(frame, caller);
}

uint32_t current_stack() {
  while (self.depth > 0 && self.calls[self.depth - 1].frame < self.frame) --self.depth;
  uint32_t known = self.depth;
  while (known > 0 && self.calls[known - 1].id == 0) --known;
  uint32_t id = known > 0 ? self.calls[known - 1].id : 0;
  for (; known < self.depth; ++known) {
    id = stack_with(id, self.calls[known].caller);
    self.calls[known].id = id;
  }
  return id;
}

uint32_t placed_site(uint32_t site, uint32_t stack) {
  // Nothing returns to an address that is none.
  return find_stack(stack, Record::kEdge | site, [=] { return site; });
}

}  // namespace foretrace::runtime

// The plugin calls this where a function begins.
FORETRACE_INTERCEPT void __foretrace_entry(const void* caller) {
  foretrace::runtime::enter_function(FORETRACE_FRAME, caller);
}
