#include "runtime/large_blocks.h"

#include <algorithm>
#include <atomic>

#include "runtime/spin_lock.h"

namespace foretrace::runtime {
namespace {

struct Block {
  std::atomic<uint64_t> first;
  std::atomic<uint64_t> end;
};

// By address, and apart from each other. Whoever changes them makes the number of changes odd
// meanwhile; who reads them looks at it before and after.
constexpr uint32_t kMost = 1024;
Block blocks[kMost];
std::atomic<uint32_t> count{0};
std::atomic<uint32_t> changes{0};

// Stands for its thread.
thread_local char this_thread;
// Who changes them; null if nobody does.
std::atomic<const char*> changer{nullptr};
// A change was not made, so some that are over may still stand here. Nothing is known until all
// have been forgotten, which who changes them next does.
std::atomic<bool> is_one_missing{false};

// False where nobody should wait: in a signal handler that interrupted a change, and where whoever
// makes one does not go on, because such a handler was left by siglongjmp(), say.
bool begin_change() {
  const uint32_t most_rounds = is_one_missing.load(std::memory_order_relaxed) ? 1 : 1U << 20;
  for (uint32_t round = 0;; ++round) {
    const char* holder = nullptr;
    if (changer.compare_exchange_strong(holder, &this_thread, std::memory_order_acquire)) break;
    if (holder == &this_thread || round == most_rounds) {
      is_one_missing.store(true, std::memory_order_relaxed);
      return false;
    }
    pause_in(round);
  }
  changes.store(changes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  if (is_one_missing.exchange(false, std::memory_order_relaxed)) {
    count.store(0, std::memory_order_relaxed);
  }
  return true;
}

void end_change() {
  changes.store(changes.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  changer.store(nullptr, std::memory_order_release);
}

// How many begin at the address or in front of it.
uint32_t up_to(uint64_t address) {
  uint32_t low = 0;
  for (uint32_t high = std::min(count.load(std::memory_order_relaxed), kMost); low < high;) {
    const uint32_t middle = (low + high) / 2;
    if (blocks[middle].first.load(std::memory_order_relaxed) <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void copy(uint32_t from, uint32_t to) {
  blocks[to].first.store(blocks[from].first.load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
  blocks[to].end.store(blocks[from].end.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

// Those that have some of these bytes are over.
void erase(uint64_t address, uint64_t end) {
  uint32_t first = up_to(address);
  if (first > 0 && blocks[first - 1].end.load(std::memory_order_relaxed) > address) --first;
  uint32_t last = first;
  const uint32_t all = count.load(std::memory_order_relaxed);
  while (last < all && blocks[last].first.load(std::memory_order_relaxed) < end) ++last;
  if (first == last) return;
  for (uint32_t at = last; at < all; ++at) copy(at, first + at - last);
  count.store(all - (last - first), std::memory_order_relaxed);
}

void insert(uint64_t address, uint64_t end) {
  const uint32_t all = count.load(std::memory_order_relaxed);
  if (all == kMost) return;
  const uint32_t place = up_to(address);
  for (uint32_t at = all; at > place; --at) copy(at - 1, at);
  blocks[place].first.store(address, std::memory_order_relaxed);
  blocks[place].end.store(end, std::memory_order_relaxed);
  count.store(all + 1, std::memory_order_relaxed);
}

struct Bounds {
  uint64_t first;
  uint64_t end;
};

// The block that an address is in; an empty one if none is known.
Bounds block_of(uint64_t address) {
  const uint32_t behind = up_to(address);
  if (behind == 0) return {0, 0};
  const Block& block = blocks[behind - 1];
  const Bounds bounds = {block.first.load(std::memory_order_relaxed),
                         block.end.load(std::memory_order_relaxed)};
  return address < bounds.end ? bounds : Bounds{0, 0};
}

// How far outside of its block a pointer can be that accesses start from: `v - 1`, where elements
// count from 1. Further below what is said to be in a block can as well be behind it.
constexpr uint64_t kKeptShifted = 1024;

// Where it surely is a pointer into that block: behind it another one may begin.
bool belongs_to(uint64_t pointer, const Bounds& block) {
  return pointer >= block.first && pointer + kKeptShifted < block.end;
}

bool is_far_from(uint64_t pointer, const Bounds& block) {
  return pointer + kKeptShifted < block.first || pointer > block.end + kKeptShifted;
}

bool are_apart(uint64_t pointer, uint64_t first, uint64_t end) {
  constexpr uint64_t kNear = 64;
  const Bounds own = block_of(pointer);
  if (belongs_to(pointer, own)) return end + kNear <= own.first || first >= own.end + kNear;
  const Bounds other = block_of(first);
  return first >= other.first && end <= other.end && is_far_from(pointer, other);
}

}  // namespace

void begin_large_block(uint64_t address, uint64_t bytes) {
  if (!begin_change()) return;
  erase(address, address + bytes);
  insert(address, address + bytes);
  end_change();
}

void end_large_block(uint64_t address) {
  if (!begin_change()) return;
  erase(address, address + 1);
  end_change();
}

bool may_reach(uint64_t pointer, uint64_t first, uint64_t end) {
  const uint32_t before = changes.load(std::memory_order_acquire);
  if (before % 2 != 0) return true;
  const bool reaches = is_one_missing.load(std::memory_order_relaxed) ||
                       (first != end && !are_apart(pointer, first, end));
  std::atomic_thread_fence(std::memory_order_acquire);
  return reaches || changes.load(std::memory_order_relaxed) != before;
}

void release_large_blocks() {
  const char* const holder = changer.load(std::memory_order_relaxed);
  // This one goes on: a handler that interrupted it called fork().
  if (holder == nullptr || holder == &this_thread) return;
  is_one_missing.store(true, std::memory_order_relaxed);
  changes.store((changes.load(std::memory_order_relaxed) | 1) + 1, std::memory_order_relaxed);
  changer.store(nullptr, std::memory_order_release);
}

}  // namespace foretrace::runtime
