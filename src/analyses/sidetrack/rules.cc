#include "analyses/sidetrack/rules.h"

#include "base/table.h"

namespace foretrace::sidetrack {
namespace {

Epoch begin_epoch(const Section& section) { return section.acquire.epoch; }
Epoch end_epoch(const Section& section) { return section.released; }
Epoch window_epoch(const Window& window) { return window.second.epoch; }

}  // namespace

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::before:
      return "before";
    case ErrorKind::in:
      return "in";
    case ErrorKind::after:
      return "after";
  }
  return "";
}

void Rules::resume(uint64_t index, const Event& event) {
  Thread& thread = slot(threads_, event.thread);
  const bool waited = thread.waiting;
  thread.waiting = false;
  if (waited) {
    thread.resumed_at = index;
    order_.hear_notifies(event.thread);
    acquire(thread.wait_lock, acquire_at(index, event, false));
  }
  order_.resume(event.thread);
  held_.resume(event);
}

void Rules::step(uint64_t index, const Event& event) {
  Thread& thread = slot(threads_, event.thread);
  switch (event.op()) {
    case Op::acq:
    case Op::racq: {
      // resume() has seen an acquire that ends a wait.
      const bool shared = event.op() == Op::racq;
      const bool is_reacquire =
          thread.resumed_at == index && thread.wait_lock == event.object && !shared;
      if (!is_reacquire) acquire(event.object, acquire_at(index, event, shared));
      break;
    }
    case Op::wait:
      thread.waiting = true;
      thread.wait_lock = event.object;
      release(event);
      break;
    case Op::rel:
    case Op::rrel:
      release(event);
      break;
    case Op::beg:
      thread.units.begin(event.object, index);
      break;
    case Op::end:
      end_unit(thread);
      break;
    default:
      break;
  }
  order_.advance(event);
  held_.advance(event);
}

Acquire Rules::acquire_at(uint64_t index, const Event& event, bool shared) {
  return {order_.epoch(event.thread), index, event, shared, held_.held(event.thread)};
}

// The three rules for acquires. The order has not seen the acquire yet.
void Rules::acquire(LockId lock, const Acquire& acquire) {
  Lock& state = slot(locks_, lock);
  if (threads_[acquire.event.thread].units.depth() > 0) {
    acquire_in_units(lock, state, acquire);
  } else {
    check_after(lock, state, acquire);
  }
  state.sections.add({acquire, {}});
}

// [ST FIRST ACQUIRE] for the units that had not acquired the lock, [ST SECOND
// ACQUIRE] for those that had.
void Rules::acquire_in_units(LockId lock, Lock& state, const Acquire& acquire) {
  Thread& thread = threads_[acquire.event.thread];
  const auto [entry, fresh] = thread.in_units.try_emplace(lock);
  if (fresh) thread.acquired.push_back(lock);
  InUnits& in_units = entry.value();
  const size_t depth = thread.units.depth();
  const size_t second_in = fresh ? 0 : thread.units.containing(in_units.last.index);
  if (second_in > 0) {
    check_before(lock, in_units, acquire, thread.units);
    const Window window = {in_units.last, acquire, thread.units.outermost(second_in)};
    check_in(lock, state, window);
    check_after(lock, state, acquire);
    if (!window.first.shared && !window.second.shared) state.exclusive_windows.add(window);
    state.windows.add(window);
  } else {
    check_after(lock, state, acquire);
  }
  if (second_in < depth) enter(thread.units.begin_of(second_in), state, in_units, acquire);
  in_units.last = acquire;
}

// Of the units in which the lock is in I, the innermost: those around it contain
// its window, too.
void Rules::check_before(LockId lock, InUnits& in_units, const Acquire& acquire, OpenUnits& units) {
  std::vector<Interference>& all = in_units.interferences;
  while (!all.empty() && !units.is_open(all.back().unit)) all.pop_back();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Interference& interference) {
    return !interference.culprit.shared || !acquire.shared;
  });
  if (found == all.rend()) return;
  const size_t common = units.containing(found->first.index);
  report_(
      {ErrorKind::before, lock, {found->first, acquire, units.outermost(common)}, found->culprit});
}

void Rules::check_in(LockId lock, Lock& state, const Window& window) {
  const bool exclusive_only = window.first.shared || window.second.shared;
  const Section* const culprit =
      state.sections.unknown_to(window.thread(), order_, exclusive_only, end_epoch);
  if (culprit != nullptr) report_({ErrorKind::in, lock, window, culprit->acquire});
}

void Rules::check_after(LockId lock, Lock& state, const Acquire& acquire) {
  const Latest<Window>& windows = acquire.shared ? state.exclusive_windows : state.windows;
  const Window* const window =
      windows.unknown_to(acquire.event.thread, order_, acquire.shared, window_epoch);
  if (window != nullptr) report_({ErrorKind::after, lock, *window, acquire});
}

// The acquire is the lock's first in the unit that begins at `first_unit` and in
// those within it.
void Rules::enter(uint64_t first_unit, Lock& state, InUnits& in_units, const Acquire& acquire) {
  const Section* const culprit =
      state.sections.unknown_to(acquire.event.thread, order_, acquire.shared, begin_epoch);
  if (culprit == nullptr) return;
  in_units.interferences.push_back({first_unit, acquire, culprit->acquire});
}

void Rules::release(const Event& event) {
  Latest<Section>& sections = slot(locks_, event.object).sections;
  Section& section = event.op() == Op::rrel ? sections.reader(event.thread) : sections.exclusive();
  section.released = order_.epoch(event.thread);
}

void Rules::end_unit(Thread& thread) {
  thread.units.end();
  if (thread.units.depth() > 0) return;
  for (const LockId lock : thread.acquired) thread.in_units.erase(lock);
  thread.acquired.clear();
}

}  // namespace foretrace::sidetrack
