#include "analyses/atomic-sets/watcher.h"

#include "base/table.h"

namespace foretrace::atomic_sets {

void Watcher::see(uint64_t index, const Event& event) {
  if (event.resumes != 0) held_.resume(event);
  switch (event.op()) {
    case Op::rd:
    case Op::wr:
      return access(index, event);
    case Op::beg:
      slot(threads_, event.thread).push_back({event.object, {}});
      return;
    case Op::end:
      return end_unit(event.thread);
    case Op::alloc:
    case Op::free:
      return renew_object(event);
    default:
      return held_.advance(event);
  }
}

void Watcher::access(uint64_t index, const Event& event) {
  const Moment now = {index, event.site, held_.held(event.thread)};
  sets_.for_sets(event.object, [&](SetId set) {
    OpenUnit* const unit = owner(event.thread, set);
    if (unit == nullptr) return detector_.lone_access(set, event, now);
    if (detector_.access(set, event.thread, unit->label, event, now)) unit->touched.push_back(set);
  });
}

Watcher::OpenUnit* Watcher::owner(ThreadId thread, SetId set) {
  for (OpenUnit& unit : slot(threads_, thread)) {
    if (sets_.is_declared_on(unit.label, set)) return &unit;
  }
  return nullptr;
}

void Watcher::end_unit(ThreadId thread) {
  std::vector<OpenUnit>& open = threads_[thread];
  for (const SetId set : open.back().touched) detector_.end(set, thread);
  open.pop_back();
}

// What another object at the same place did is no business of this one.
void Watcher::renew_object(const Event& event) {
  if (const SetId* const set = sets_.set_of_object(symbols_.object(event))) detector_.forget(*set);
}

}  // namespace foretrace::atomic_sets
