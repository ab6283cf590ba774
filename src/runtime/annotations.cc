// What include/foretrace/annotate.h calls.
#include "runtime/edges.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

void record_unit(Kind kind, uint32_t label) {
  const Entry entry;
  if (!entry) return;
  entry.append(kind, label, 0, nullptr);
  // Accesses before and inside a unit are not the same.
  self.filter.begin_epoch(self.stamp);
  entry.begin_stretch();
}

}  // namespace
}  // namespace foretrace::runtime

using namespace foretrace::runtime;

FORETRACE_INTERCEPT void __foretrace_unit_begin(unsigned* label, const char* name) {
  if (!recording_on.load(std::memory_order_relaxed)) return;
  unsigned number = __atomic_load_n(label, __ATOMIC_ACQUIRE);
  if (number == 0) {
    number = new_label(name);
    __atomic_store_n(label, number, __ATOMIC_RELEASE);
  }
  record_unit(Kind::unit_begin, number);
}
FORETRACE_INTERCEPT void __foretrace_unit_end() { record_unit(Kind::unit_end, 0); }

FORETRACE_INTERCEPT void __foretrace_happens_before(const volatile void* object) {
  record_sync(Kind::atomic_update, edge_of(object));
}
FORETRACE_INTERCEPT void __foretrace_happens_after(const volatile void* object) {
  record_sync(Kind::atomic_read, edge_of(object));
}
FORETRACE_INTERCEPT void __foretrace_atomic_set(const char* name, const volatile void* object,
                                                unsigned long bytes) {
  const uint32_t label = new_label(name);
  const Entry entry;
  if (!entry) return;
  entry.append_operand(label);
  entry.append_operand(bytes);
  entry.append_stamped(Kind::atomic_set, reinterpret_cast<uint64_t>(object), 0, nullptr);
}
FORETRACE_INTERCEPT void __foretrace_benign_race(const volatile void* object, unsigned long bytes) {
  record_sync_with(Kind::benign, const_cast<const void*>(object), bytes);
}
FORETRACE_INTERCEPT void __foretrace_ignore_begin() { ++self.ignoring; }
FORETRACE_INTERCEPT void __foretrace_ignore_end() {
  if (self.ignoring > 0) --self.ignoring;
}

FORETRACE_INTERCEPT void __foretrace_hide_begin() { ++self.hidden; }
// What was hidden may have ordered this thread after others: a stamp keeps what
// follows behind what they recorded, without an event that says so.
FORETRACE_INTERCEPT void __foretrace_hide_end() {
  if (self.hidden > 0 && --self.hidden == 0) record_sync(Kind::stamp, uint64_t{0});
}

FORETRACE_INTERCEPT void __foretrace_wait_begin(const volatile void* condition,
                                                const volatile void* mutex) {
  record_sync_with(Kind::cond_wait, const_cast<const void*>(mutex),
                   reinterpret_cast<uint64_t>(condition));
}
FORETRACE_INTERCEPT void __foretrace_wait_end(const volatile void* mutex) {
  record_sync(Kind::lock, const_cast<const void*>(mutex));
}
FORETRACE_INTERCEPT void __foretrace_barrier(const volatile void* barrier) {
  record_sync(Kind::barrier, const_cast<const void*>(barrier));
}
