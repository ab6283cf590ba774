#include "runtime/thread_table.h"

#include <atomic>

#include "runtime/recorder.h"
#include "runtime/spin_lock.h"

namespace foretrace::runtime {
namespace {

struct Known {
  pthread_t thread;  // 0: free. Handles are never forgotten, only taken over:
  uint32_t number;   // libc uses them again.
};
constexpr uint64_t kPlaces = 1U << 16;
Known known[kPlaces];
std::atomic<uint32_t> lock{0};

// The place of the thread, or a free one, or none if the table is full.
Known* place_of(pthread_t thread) {
  const uint64_t hash = (thread >> 6) * 0x9E3779B97F4A7C15U >> 48;
  for (uint64_t step = 0; step < kPlaces; ++step) {
    Known& place = known[(hash + step) & (kPlaces - 1)];
    if (place.thread == thread || place.thread == 0) return &place;
  }
  return nullptr;
}

}  // namespace

void thread_table_add(pthread_t thread, uint32_t number) {
  const Entry entry;  // no signal handler while the lock is held
  if (!entry) return;
  const SpinGuard guard(lock);
  Known* const place = place_of(thread);
  if (place != nullptr) *place = {thread, number};
}

bool thread_table_find(pthread_t thread, uint32_t& number) {
  const Entry entry;
  if (!entry) return false;
  const SpinGuard guard(lock);
  const Known* const place = place_of(thread);
  if (place == nullptr || place->thread == 0) return false;
  number = place->number;
  return true;
}

void release_thread_table() { lock.store(0, std::memory_order_relaxed); }

}  // namespace foretrace::runtime
