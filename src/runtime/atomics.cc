// Atomic operations. The operation and its record are two steps; a lock around
// both makes the order of the records that of the operations.
#include "runtime/atomics.h"

#include "runtime/access.h"
#include "runtime/atomic_order.h"
#include "runtime/call_stack.h"
#include "runtime/spin_lock.h"

namespace foretrace::runtime {

// A lock for all atomic locations with the same hash. It is its holder, null if there is
// none, so that a signal handler that interrupts the holder never waits for it. Its
// thread-local state stands for a thread.
struct alignas(64) AtomicLock {
  std::atomic<Thread*> holder;
};
namespace {

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
bool take(AtomicLock& lock) {
  constexpr uint32_t kMostRounds = 4096;
  const bool may_give_up = self.atomics > 1;
  for (uint32_t round = 0; !may_give_up || round < kMostRounds; ++round) {
    Thread* nobody = nullptr;
    if (lock.holder.compare_exchange_weak(nobody, &self, std::memory_order_acquire)) return true;
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
  if (!recording_on.load(std::memory_order_relaxed) || self.busy) return nullptr;
  AtomicLock& lock = lock_of(address);
  if (lock.holder.load(std::memory_order_relaxed) == &self) return &nothing_held;
  self.atomics = self.atomics + 1;
  if (take(lock)) return &lock;
  self.atomics = self.atomics - 1;
  return &nothing_held;
}

void end_atomic(AtomicLock* lock, uint64_t address, uint32_t size, Kind kind, SiteRef site) {
  if (lock == nullptr) return;
  record(address, size, kind, site);
  if (lock == &nothing_held) return;
  lock->holder.store(nullptr, std::memory_order_release);
  self.atomics = self.atomics - 1;
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
