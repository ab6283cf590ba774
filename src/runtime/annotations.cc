// What include/foretrace/annotate.h calls.
#include "runtime/real.h"
#include "runtime/recorder.h"

namespace foretrace::runtime {
namespace {

// An edge is a location of its own, apart from the object's bytes: no address of
// a program has this bit.
uint64_t edge_of(const volatile void* object) {
  return reinterpret_cast<uint64_t>(object) | uint64_t{1} << 47;
}

void record_unit(Kind kind, uint32_t label) {
  Entry entry;
  if (!entry) return;
  entry.append(kind, label, 0, nullptr);
  entry.begin_stretch();  // accesses before and inside a unit are not the same
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
FORETRACE_INTERCEPT void __foretrace_benign_race(const volatile void* object, unsigned long bytes) {
  record_sync_with(Kind::benign, const_cast<const void*>(object), bytes);
}
FORETRACE_INTERCEPT void __foretrace_ignore_begin() { ++self.ignoring; }
FORETRACE_INTERCEPT void __foretrace_ignore_end() {
  if (self.ignoring > 0) --self.ignoring;
}
