#include "recording/lock_holders.h"

namespace foretrace {

size_t LockHolders::Thread::find(uint64_t address) const {
  for (size_t i = places.size(); i-- > 0;) {
    if (places[i].address == address) return i;
  }
  return places.size();
}

void LockHolders::Thread::erase(size_t place) {
  numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(place));
  places.erase(places.begin() + static_cast<std::ptrdiff_t>(place));
}

LockHolders::Lock* LockHolders::find_lock(uint64_t address) {
  Recent& recent = recent_[address * 0x9E3779B97F4A7C15ULL >> (64 - kRecentBits)];
  if (recent.address != address) {
    const auto found = locks_.find(address);
    if (found == locks_.end()) return nullptr;
    recent = {address, &found->second};
  }
  return recent.lock;
}

LockHolders::Lock& LockHolders::lock_at(uint64_t address) {
  if (Lock* const known = find_lock(address)) return *known;
  return locks_.try_emplace(address, Lock{++last_}).first->second;
}

void LockHolders::acquire(uint32_t thread, uint64_t address, bool shared) {
  Thread& self = at(thread);
  if (self.waits_for && self.waits_for != address) sure_ = false;
  self.waits_for.reset();
  Lock& lock = lock_at(address);
  if (const size_t mine = self.find(address); mine < self.places.size()) {
    // Held in both ways, or as the lock that was there before: nothing that a program does.
    sure_ &= self.numbers[mine].lock == lock.number && self.numbers[mine].shared == shared;
    ++self.places[mine].depth;
  } else {
    sure_ &= lock.owner_depth == 0 && (shared || lock.readers == 0);
    self.numbers.push_back({lock.number, shared});
    self.places.push_back({address, 1});
  }
  (shared ? lock.readers : lock.owner_depth) += 1;
}

void LockHolders::release(Thread& thread, size_t place) {
  // The address may have become another lock meanwhile.
  Lock* const lock = find_lock(thread.places[place].address);
  if (lock != nullptr && lock->number == thread.numbers[place].lock) {
    (thread.numbers[place].shared ? lock->readers : lock->owner_depth) -= 1;
  }
  if (--thread.places[place].depth == 0) thread.erase(place);
}

void LockHolders::release(uint32_t thread, uint64_t address) {
  Thread& self = at(thread);
  const size_t mine = self.find(address);
  if (mine == self.places.size() || self.waits_for) {
    sure_ = false;
  } else {
    release(self, mine);
  }
}

void LockHolders::wait(uint32_t thread, uint64_t address) {
  Thread& self = at(thread);
  const size_t mine = self.find(address);
  if (mine == self.places.size() || self.numbers[mine].shared || self.waits_for) {
    sure_ = false;
    return;
  }
  for (uint32_t depth = self.places[mine].depth; depth > 0; --depth) release(self, mine);
  self.waits_for = address;
}

void LockHolders::end_owner(uint64_t address) {
  for (Thread& thread : threads_) {
    if (const size_t place = thread.find(address); place < thread.places.size()) {
      return release(thread, place);
    }
  }
}

void LockHolders::end_thread(uint32_t thread) {
  Thread& ended = at(thread);
  if (ended.waits_for) sure_ = false;
  while (!ended.places.empty()) release(ended, ended.places.size() - 1);
}

void LockHolders::forget(uint64_t address, uint64_t bytes) {
  const auto gone = locks_.lower_bound(address);
  if (gone == locks_.end() || gone->first >= address + bytes) return;
  locks_.erase(gone, locks_.lower_bound(address + bytes));
  recent_.fill(Recent());
}

}  // namespace foretrace
