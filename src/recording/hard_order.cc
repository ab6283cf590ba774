#include "recording/hard_order.h"

namespace foretrace {

void HardOrder::add_thread() {
  const auto number = static_cast<ThreadId>(threads_.size());
  Thread& fresh = threads_.emplace_back();
  fresh.epoch = Epoch(number, 1);
  fresh.clock.raise(number, 1);
}

// What the thread does from now on is not before the edge that it has just given.
void HardOrder::advance(Thread& thread) {
  thread.epoch = Epoch(thread.epoch.thread(), thread.epoch.clock() + 1);
  thread.clock.raise(thread.epoch.thread(), thread.epoch.clock());
  ++version_;
}

void HardOrder::create(uint32_t thread, uint32_t child) {
  at(std::max(thread, child));  // now neither moves
  threads_[child].clock.join(threads_[thread].clock);
  advance(threads_[thread]);
}

void HardOrder::join(uint32_t thread, uint32_t child) {
  at(std::max(thread, child));
  threads_[thread].clock.join(threads_[child].clock);
  ++version_;
}

void HardOrder::arrive(uint32_t thread, uint64_t barrier) {
  Thread& self = at(thread);
  std::shared_ptr<Generation>& generation = barriers_[barrier];
  if (generation == nullptr || !generation->open) generation = std::make_shared<Generation>();
  generation->clock.join(self.clock);
  self.barrier = generation;
  advance(self);
}

void HardOrder::pass(Thread& thread) {
  thread.barrier->open = false;
  thread.clock.join(thread.barrier->clock);
  thread.barrier.reset();
  ++version_;
}

void HardOrder::atomic_read(uint32_t thread, uint64_t address, uint64_t bytes) {
  const auto seen = writes_.find(address);
  if (seen == writes_.end() || seen->second.bytes != bytes) return;
  at(thread).clock.join(seen->second.clock);
  ++version_;
}

void HardOrder::atomic_write(uint32_t thread, uint64_t address, uint64_t bytes) {
  Thread& self = at(thread);
  const auto known = writes_.find(address);
  if (known != writes_.end() && known->second.bytes == bytes) {
    known->second.clock = self.clock;
  } else {
    overwrite(address, bytes);
    writes_[address] = {bytes, self.clock};
  }
  advance(self);
}

void HardOrder::overwrite(uint64_t address, uint64_t bytes) {
  auto write = writes_.lower_bound(address);
  if (write != writes_.begin()) {
    const auto before = std::prev(write);
    if (before->first + before->second.bytes > address) write = before;
  }
  while (write != writes_.end() && write->first < address + bytes) write = writes_.erase(write);
}

void HardOrder::forget(uint64_t address, uint64_t bytes) {
  if (!writes_.empty()) overwrite(address, bytes);
  barriers_.erase(barriers_.lower_bound(address), barriers_.lower_bound(address + bytes));
}

}  // namespace foretrace
