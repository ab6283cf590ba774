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
// What a stack was made of, by its number.
struct Step {
  uint64_t key;
  uint32_t parent;
};
constexpr uint64_t kPlaces = 1U << 20;
constexpr uint64_t kMostStacks = kPlaces / 4 * 3;
struct Table {
  KnownStack known[kPlaces];
  Step steps[kMostStacks + 1];
  std::atomic<uint64_t> used;  // of the places
};
std::atomic<Table*> table{nullptr};

// A recursion through a tree has as many stacks as the tree has nodes. All are told apart up
// to this many; after that a call that is on the stack already leads back to there.
constexpr uint32_t kExactStacks = 1024;

uint64_t hash_of(uint32_t parent, uint64_t caller) {
  uint64_t hash = (caller ^ uint64_t{parent} << 40) * 0x9E3779B97F4A7C15U;
  hash ^= hash >> 29 ^ parent;
  hash *= 0xBF58476D1CE4E5B9U;
  return (hash ^ hash >> 32) | 1;
}

Table* the_table() {
  Table* known = table.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  void* const memory = raw_mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (table.compare_exchange_strong(known, static_cast<Table*>(memory))) {
    return static_cast<Table*>(memory);
  }
  raw_munmap(memory, sizeof(Table));
  return known;
}

uint32_t place_of(uint64_t caller) {
  if (const uint32_t known = code_number(caller - 1)) return known;
  find_modules();
  return code_number(caller - 1);
}

// The stack that ends with the same call, if `parent` or one that it came from does; else 0.
uint32_t recursion_of(const Table& all, uint32_t parent, uint64_t key) {
  while (parent != 0 && all.steps[parent].key != key) parent = all.steps[parent].parent;
  return parent;
}

// A new stack, or the one that stands for it. 0: there is no more space.
template <typename MakePlace>
uint32_t make_stack(Table& all, uint32_t parent, uint64_t key, MakePlace make_place) {
  if (all.used.load(std::memory_order_relaxed) >= kMostStacks) return 0;
  if (all.used.fetch_add(1, std::memory_order_relaxed) >= kExactStacks) {
    if (const uint32_t known = recursion_of(all, parent, key)) return known;
  }
  const uint32_t id = new_stack(parent, make_place(), kMostStacks);
  if (id != 0) all.steps[id] = {key, parent};
  return id;
}

// The stack that `parent` becomes by what has this key: a call, or a site. A new one has the
// place that make_place() tells. 0: there is no more space.
template <typename MakePlace>
uint32_t find_stack(uint32_t parent, uint64_t key, MakePlace make_place) {
  Table* const all = the_table();
  if (all == nullptr) return 0;
  const uint64_t hash = hash_of(parent, key);
  // Calls that follow each other have numbers that do: so their places are close.
  for (uint64_t place = (uint64_t{parent} * 4 + (hash >> 58)) & (kPlaces - 1);;
       place = (place + 1) & (kPlaces - 1)) {
    KnownStack& known = all->known[place];
    uint64_t there = known.hash.load(std::memory_order_acquire);
    if (there == 0) {
      const uint32_t id = make_stack(*all, parent, key, make_place);
      if (id == 0) return 0;
      if (known.hash.compare_exchange_strong(there, hash)) {
        known.id.store(id, std::memory_order_release);
        return id;
      }
    }
    if (there != hash) continue;
    // Whoever puts the hash there puts the number there next.
    for (;;) {
      if (const uint32_t id = known.id.load(std::memory_order_acquire)) return id;
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
  void* const memory = raw_mmap(nullptr, kCallsBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  self.calls = static_cast<CallFrame*>(memory);
  *self.calls = {UINT64_MAX, 0, 0};
  self.call = self.calls;
  self.last_call = self.calls + kMostFrames;
  return true;
}

}  // namespace

void enter_first_function(uint64_t frame, uint64_t left, const void* caller) {
  if (!recording_on.load(std::memory_order_relaxed)) return;
  if (caller == nullptr) {
    self.call = self.calls;  // initialisers that ran before main had frames above its own
  } else if (caller == handlers_return_to.load(std::memory_order_relaxed)) {
    enter_handler();
  }
  if (self.call != nullptr || make_call_stack()) push_call(frame, left, caller);
}

uint32_t find_current_stack() {
  CallFrame* now = self.call;  // a signal handler that comes meanwhile has calls of its own
  if (now == nullptr) return 0;
  while (now->frame < self.frame) --now;
  self.call = now;
  CallFrame* known = now;
  while (known->id == CallFrame::kNotAsked) --known;
  for (; known != now; ++known) known[1].id = stack_with(known->id, known[1].caller);
  return now->id;
}

uint32_t placed_site(uint32_t site, uint32_t stack) {
  // Nothing returns to an address that is none.
  return find_stack(stack, Record::kEdge | site, [=] { return site; });
}

}  // namespace foretrace::runtime

// The plugin calls this where a function begins, with the place on the stack of the address that it
// returns to. A function that was called from the same one before had that place too, and what it
// called comes below: the frame of its hook is lower than that of a hook called from here.
FORETRACE_INTERCEPT void __foretrace_entry(const void* caller, const void* return_place) {
  const uint64_t highest_left = reinterpret_cast<uint64_t>(return_place) - 2 * sizeof(void*);
  foretrace::runtime::enter_function(FORETRACE_FRAME, highest_left, caller);
}
