// Atomic operations. The operation and its record are two steps; a lock around
// both makes the order of the records that of the operations.
#include "runtime/atomics.h"

#include "runtime/access.h"
#include "runtime/atomic_order.h"
#include "runtime/call_stack.h"
#include "runtime/jumps.h"
#include "runtime/spin_lock.h"

namespace foretrace::runtime {

struct Holder;
// A lock for all atomic locations with the same hash. It is its holder, null if there is
// none, so that a signal handler that interrupts the holder never waits for it.
struct alignas(64) AtomicLock {
  std::atomic<Holder*> holder;
};
// An operation that a thread is in.
struct Holder {
  uint64_t place;  // on the stack
  AtomicLock* lock;
  uint64_t address;
  uint32_t size;
  Kind kind;  // once it is done: it has to be recorded
  SiteRef site;
};
namespace {

// Those of the thread: more than one where signal handlers interrupt one.
constexpr uint32_t kMostOperations = 4;
struct Holders {
  Holder of[kMostOperations];
};
__thread Holders mine __attribute__((tls_model("initial-exec")));
bool is_mine(const Holder* holder) {
  return holder >= mine.of && holder < mine.of + kMostOperations;
}

constexpr uint64_t kLocks = 1024;
AtomicLock locks[kLocks];
// What begin returns where there is nothing to unlock, but something to record.
AtomicLock nothing_held;

AtomicLock& lock_of(uint64_t address) {
  const uint64_t granule = address >> kGranuleShift;
  return locks[(granule ^ granule >> 10) & (kLocks - 1)];
}

// False if the thread should do without: in a signal handler that interrupted an atomic
// operation, it could wait for somebody who waits for it.
bool take(AtomicLock& lock, Holder& me) {
  constexpr uint32_t kMostRounds = 4096;
  const bool may_give_up = self.atomics > 1;
  for (uint32_t round = 0; !may_give_up || round < kMostRounds; ++round) {
    Holder* nobody = nullptr;
    if (lock.holder.compare_exchange_weak(nobody, &me, std::memory_order_acquire)) return true;
    pause_in(round);
  }
  return false;
}

bool is_relaxed(Kind kind) {
  return kind == Kind::relaxed_read || kind == Kind::relaxed_write || kind == Kind::relaxed_update;
}
bool only_reads(Kind kind) { return kind == Kind::atomic_read || kind == Kind::relaxed_read; }
bool only_writes(Kind kind) { return kind == Kind::atomic_write || kind == Kind::relaxed_write; }

AtomicLook& look_at(uint64_t address) {
  constexpr uint32_t kShift = 64 - kAtomicLooksShift;
  return self.memory->atomics[address * 0x9E3779B97F4A7C15ULL >> kShift];
}

// Whether a read sees what the thread's operation saw, or wrote.
bool sees_the_same(const AtomicLook& last, Kind kind, uint64_t address, uint32_t size) {
  return only_reads(kind) && last.address == address && last.size == size &&
         last.forgotten == self.forgotten && !has_later<false>(address, last.stamp);
}

// A thread that spins on an atomic location reads the same again and again;
// only what it sees for the first time in a stretch is recorded.
bool is_repeated_read(Kind kind, uint64_t address, uint32_t size) {
  if (!self.filter.is_started()) return false;
  const AtomicLook& last = look_at(address);
  return last.stretch == self.range_stretch && (last.orders || is_relaxed(kind)) &&
         sees_the_same(last, kind, address, size);
}

void record(uint64_t address, uint32_t size, Kind kind, SiteRef site) {
  if (interrupts_recorder()) return sync_later(kind, address, size, site);
  if (is_repeated_read(kind, address, size)) return;
  const Entry entry;
  if (!entry) return;
  AtomicLook& last = look_at(address);
  const bool was_ordered = last.orders && sees_the_same(last, kind, address, size);
  entry.append_stamped(kind, address, size, site);
  // Behind a read that brings no order, whoever races with an access also races with the same
  // access in front of it.
  if (kind != Kind::relaxed_read && !was_ordered) entry.begin_stretch();
  if (!only_writes(kind)) mark_range(address, address + size, self.stamp, false);
  if (!only_reads(kind)) mark_range(address, address + size, self.stamp, true);
  // A relaxed update goes on with what others released.
  const bool orders = kind != Kind::relaxed_read && kind != Kind::relaxed_update;
  last = {address, self.stamp, self.range_stretch, self.forgotten, size, orders || was_ordered};
}

}  // namespace

AtomicLock* begin_atomic(uint64_t address) {
  if (!recording_on.load(std::memory_order_relaxed)) return nullptr;
  AtomicLock& lock = lock_of(address);
  const uint32_t outer = self.atomics;
  if (is_mine(lock.holder.load(std::memory_order_relaxed)) || outer == kMostOperations) {
    return &nothing_held;
  }
  // Before it counts, for a handler may jump away; and again, for one may have begun its own.
  Holder& me = mine.of[outer];
  const Holder now = {stack_pointer(), &lock, address, 0, Kind::none, SiteRef()};
  me = now;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  self.atomics = outer + 1;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  me = now;
  if (take(lock, me)) return &lock;
  self.atomics = outer;
  return &nothing_held;
}

void end_atomic(AtomicLock* lock, uint64_t address, uint32_t size, Kind kind, SiteRef site) {
  if (lock == nullptr) return;
  Holder* const held = lock->holder.load(std::memory_order_relaxed);
  if (!is_mine(held)) return record(address, size, kind, site);
  held->size = size;
  held->site = site;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  held->kind = kind;
  record(address, size, kind, site);
  lock->holder.store(nullptr, std::memory_order_release);
  self.atomics = static_cast<uint32_t>(held - mine.of);
}

// Whether one was done when it was left is not known until it is to be recorded.
void abandon_atomics(const Jump& jump) {
  while (const uint32_t count = self.atomics) {
    Holder& last = mine.of[count - 1];
    if (!jump.leaves(last.place)) return;
    if (last.lock->holder.load(std::memory_order_relaxed) == &last) {
      if (last.kind != Kind::none) record(last.address, last.size, last.kind, last.site);
      last.lock->holder.store(nullptr, std::memory_order_release);
    }
    self.atomics = count - 1;
  }
}

// One of a thread is enough.
void record_fence() {
  if (!recording_on.load(std::memory_order_relaxed) || self.fenced) return;
  const Entry entry;
  if (!entry) return;
  entry.append(Kind::fence, 0, 0, nullptr);
  self.fenced = true;
}

void release_atomic_locks() {
  for (AtomicLock& lock : locks) lock.holder.store(nullptr, std::memory_order_relaxed);
}

}  // namespace foretrace::runtime

using foretrace::recording::Kind;
using foretrace::runtime::AtomicLock;
using foretrace::runtime::kind_of;
using foretrace::runtime::Operation;
using foretrace::runtime::Site;

#define FORETRACE_HOOK extern "C" __attribute__((visibility("default")))

namespace {

// `form`: the size, and the order (atomic_order.h).
void end(void* lock, const void* p, uint32_t form, Kind kind, const Site* site) {
  foretrace::runtime::end_atomic(static_cast<AtomicLock*>(lock), reinterpret_cast<uint64_t>(p),
                                 form & foretrace::runtime::kSizeMask, kind, site);
}

}  // namespace

FORETRACE_HOOK void* __foretrace_atomic_begin(const void* p) {
  return foretrace::runtime::begin_atomic(reinterpret_cast<uint64_t>(p));
}

#define FORETRACE_ATOMIC(name)                                                               \
  FORETRACE_HOOK void __foretrace_atomic_##name(void* lock, const void* p, uint32_t form,    \
                                                const Site* site) {                          \
    foretrace::runtime::self.frame = FORETRACE_FRAME;                                        \
    end(lock, p, form, kind_of(Operation::name, (form & foretrace::runtime::kRelaxed) != 0), \
        site);                                                                               \
  }
FORETRACE_ATOMIC(read)
FORETRACE_ATOMIC(write)
FORETRACE_ATOMIC(update)
// A compare-and-exchange that may have failed: then it only read.
FORETRACE_HOOK void __foretrace_atomic_exchange(void* lock, const void* p, uint32_t form,
                                                uint32_t succeeded, const Site* site) {
  using namespace foretrace::runtime;
  self.frame = FORETRACE_FRAME;
  end(lock, p, form,
      succeeded != 0 ? kind_of(Operation::update, (form & kRelaxed) != 0)
                     : kind_of(Operation::read, (form & kRelaxedIfFailed) != 0),
      site);
}
FORETRACE_HOOK void __foretrace_fence() { foretrace::runtime::record_fence(); }
