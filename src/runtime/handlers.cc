// Signal handlers that interrupt the recorder.
#include "runtime/process.h"
#include "runtime/recorder.h"
#include "runtime/shadow.h"

namespace foretrace::runtime {

using recording::Record;

namespace {

bool can_record_later() {
  return recording_on.load(std::memory_order_relaxed) && self.memory != nullptr &&
         self.ring != nullptr && self.hidden == 0;
}

// Whoever accesses the memory of an atomic operation sees that there is one: who spins on it, that
// it must look again. An update or a read too, as a write that clashes with all.
void mark_atomic(const Record& record) {
  if (record.size() == 0) return;
  mark_range(record.address(), record.address() + record.size(), record.upper(), true);
}

// The thread may not have noted that its last record was published.
void find_published() {
  self.written = self.ring->written.load(std::memory_order_relaxed);
  const Record& last = self.records[(self.written - 1) & self.ring_mask];
  if (last.stamped()) self.published = last.upper();
}

}  // namespace

void sync_later(Kind kind, uint64_t address, uint32_t size, SiteRef site) {
  if (!can_record_later()) return;
  const uint32_t site_number = number_of(site);
  WaitingSyncs::Sync* const sync = self.memory->waiting.begin();
  if (sync == nullptr) {
    self.ring->dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  sync->record = Record::make(kind, address, size, site_number, take_stamp());
  sync->record.head |= Record::kStamped;
  sync->is_complete.store(true, std::memory_order_release);
  __asm__ volatile("or %[waiting], %[busy]"
                   : [busy] "+m"(self.busy)
                   : [waiting] "r"(kWaiting)
                   : "memory", "cc");
  // Now, and when it is written: what was interrupted may be about to mark the same with less.
  mark_atomic(sync->record);
}

// Who led to the handler is not known: it has no call stack. For what is recorded next all is as
// before.
template <typename IsWanted>
bool Entry::put_waiting_if(IsWanted is_wanted) {
  WaitingSyncs& waiting = self.memory->waiting;
  const uint32_t in_use = waiting.in_use();
  bool any = false;
  WaitingSyncs::Sync* sync = waiting.first();
  for (; sync != nullptr && is_wanted(sync->record.upper()); sync = waiting.first()) {
    if (!any && self.stack != 0) put(Record::make(Kind::stack, 0, 0, 0, 0));
    any = true;
    const Record record = sync->record;
    if (recording::is_later(record.upper(), self.published)) put(record);  // not yet
    self.published = record.upper();
    sync->is_complete.store(false, std::memory_order_release);
    mark_atomic(record);
  }
  if (any && self.stack != 0) put(Record::make(Kind::stack, self.stack, 0, 0, 0));
  if (sync == nullptr) waiting.clear(in_use);
  return any;
}

bool Entry::put_waiting(uint32_t stamp) {
  return put_waiting_if([=](uint32_t other) { return recording::is_later(stamp, other); });
}
bool Entry::put_all_waiting() {
  return put_waiting_if([](uint32_t) { return true; });
}

void Entry::append_waiting() {
  if (self.memory == nullptr || !make_space(0) || !put_all_waiting()) return;
  self.stamp = self.published;
  self.filter.begin_epoch(self.stamp);
  begin_stretch();
  settle();
}

void Entry::write_waiting() { const Entry entry; }

// A table's entry that was half changed is of a run or stretch that is over now, or is cleared.
void Entry::abandon() {
  self.busy = stack_pointer() | kWaiting;  // if it is not so, nothing is found
  if (self.memory == nullptr) {            // it has never recorded, and its ring may be half made
    self.ring = nullptr;
    self.unable = true;
    self.busy = 0;
    return;
  }
  find_published();
  self.stack = 0;
  put(Record::make(Kind::stack, 0, 0, 0, 0));
  // A stamp was taken, and has no record.
  if (recording::is_later(self.stamp, self.published)) {
    put_waiting(self.stamp);
    Record taken = Record::make(Kind::stamp, 0, 0, 0, self.stamp);
    taken.head |= Record::kStamped;
    put(taken);
    self.published = self.stamp;
  }
  self.stamp = self.published;
  for (PlacedSite& known : self.memory->placed) known = {};
  ++self.forgotten;
  self.filter.restart();
  forget_loop();
  append_stamped(Kind::stamp, 0, 0, nullptr);
  begin_stretch();
  if (leave()) write_waiting();
}

}  // namespace foretrace::runtime
