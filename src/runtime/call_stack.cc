#include "runtime/call_stack.h"

#include <csignal>

#include <sys/mman.h>
#include <ucontext.h>

#include "runtime/modules.h"
#include "runtime/raw_memory.h"
#include "runtime/real.h"

namespace foretrace::runtime {
namespace {

// From the stack without its last call, and that call, to the stack: by most of a hash of
// both. The table is made once and only filled; two stacks with one hash would be shown as
// one. One word: nobody has to wait until somebody else, who may not be there any more, has
// filled in the rest.
class KnownStack {
 public:
  KnownStack() = default;
  KnownStack(uint64_t hash, uint32_t id) : bits_((hash & ~kMostId) | id) {}
  bool is_none() const { return bits_ == 0; }
  bool has(uint64_t hash) const { return ((bits_ ^ hash) & ~kMostId) == 0; }
  uint32_t id() const { return static_cast<uint32_t>(bits_ & kMostId); }
  static constexpr uint64_t kMostId = (uint64_t{1} << 20) - 1;

 private:
  uint64_t bits_ = 0;
};
// What a stack was made of, by its number.
struct Step {
  uint64_t key;
  uint32_t parent;
};
constexpr uint64_t kPlaces = 1U << 20;
constexpr uint64_t kMostStacks = kPlaces / 4 * 3;
static_assert(kMostStacks <= KnownStack::kMostId);
struct Table {
  std::atomic<KnownStack> known[kPlaces];
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
  return hash ^ hash >> 32;
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
    std::atomic<KnownStack>& known = all->known[place];
    KnownStack there = known.load(std::memory_order_acquire);
    if (there.is_none()) {
      const uint32_t id = make_stack(*all, parent, key, make_place);
      if (id == 0) return 0;
      if (known.compare_exchange_strong(there, KnownStack(hash, id))) return id;
    }
    if (there.has(hash)) return there.id();
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

// Where a handler of a signal runs that has a stack of its own, above what it interrupted: that has
// not returned, though its frames are lower, and the handler has as soon as frames are elsewhere.
struct HandlerStack {
  CallFrame* call;  // that the thread is in there, while self.call is null; else null
  uint64_t first;
  uint64_t bytes;

  bool has(uint64_t frame) const { return frame - first < bytes; }
};
__thread HandlerStack handler;

// Of a handler, whether it has such a stack, and which.
HandlerStack stack_of_handler(uint64_t frame) {
  stack_t own = {};
  if (::sigaltstack(nullptr, &own) != 0 || (own.ss_flags & SS_ONSTACK) == 0) return {};
  const HandlerStack stack = {nullptr, reinterpret_cast<uint64_t>(own.ss_sp), own.ss_size};
  return stack.has(frame) ? stack : HandlerStack{};
}

// Functions with frames up to this have returned, of those that the handler with the hook of the
// plugin interrupted. Linux has what the registers were above the address that it returns to.
uint64_t left_before_handler(uint64_t left, const void* caller) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): they are on the stack.
  const auto* const return_place = reinterpret_cast<const void* const*>(left + 2 * sizeof(void*));
  if (*return_place != caller) return 0;
  const auto* const context = reinterpret_cast<const ucontext_t*>(return_place + 1);
  return static_cast<uint64_t>(context->uc_mcontext.gregs[REG_RSP]) - 3 * sizeof(void*);
}

// Makes self.call that of the stack which a frame is on, as long as this lives.
class CallsAt {
 public:
  explicit CallsAt(uint64_t frame) {
    if (handler.call == nullptr || self.calls == nullptr) return;
    self.call = handler.call;
    in_handler_ = handler.has(frame);
    if (!in_handler_) leave_handler();
  }
  ~CallsAt() {
    if (!in_handler_) return;
    handler.call = self.call;
    self.call = nullptr;
  }
  CallsAt(const CallsAt&) = delete;
  CallsAt& operator=(const CallsAt&) = delete;

  // False if its calls are like those of other functions: its frame is below what it interrupted.
  bool enter_handler(uint64_t frame, uint64_t left, const void* caller) {
    if (in_handler_ || self.call->frame > left || self.call == self.last_call) return false;
    const HandlerStack stack = stack_of_handler(frame);
    if (stack.bytes == 0) return false;
    CallFrame* call = self.call;
    for (const uint64_t before = left_before_handler(left, caller); call->frame <= before;) --call;
    *++call = {UINT64_MAX, reinterpret_cast<uint64_t>(caller), CallFrame::kNotAsked};
    handler = stack;
    self.call = call;
    in_handler_ = true;
    // Where self.call is null, that would be the stack of what comes.
    if (self.stack == 0) self.stack = CallFrame::kNotAsked;
    return true;
  }

 private:
  static void leave_handler() {
    while (self.call->frame != UINT64_MAX) --self.call;
    --self.call;
    handler.call = nullptr;
  }

  bool in_handler_ = false;
};

}  // namespace

void enter_first_function(uint64_t frame, uint64_t left, const void* caller) {
  if (!recording_on.load(std::memory_order_relaxed)) return;
  const bool is_handler =
      caller != nullptr && caller == handlers_return_to.load(std::memory_order_relaxed);
  if (is_handler) enter_handler();
  CallsAt calls(frame);
  if (caller == nullptr) self.call = self.calls;  // what ran before main had frames above its own
  if (self.call == nullptr && !make_call_stack()) return;
  if (!is_handler || !calls.enter_handler(frame, left, caller)) push_call(frame, left, caller);
}

void leave_function_of_handler(uint64_t frame, const void* returns_to) {
  const CallsAt calls(frame);
  if (self.call != nullptr) leave_function(frame, returns_to);
}

uint32_t find_current_stack() {
  const CallsAt calls(self.frame);
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
