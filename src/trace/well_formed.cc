#include "trace/well_formed.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {
namespace {

constexpr size_t kDroppedShown = 20;

constexpr std::array<std::string_view, WellFormed::kFaultCount> kFaultNames = {
    "release without acquire", "acquire of a held lock",
    "badly nested lock",       "event before the fork",
    "event after the join",    "join of a running thread",
    "unbalanced unit",         "value that contradicts the last write",
    "wait without the lock",
};

}  // namespace

WellFormed::WellFormed(const Symbols& symbols, std::string source_name, WellFormedOptions options)
    : symbols_(symbols), source_name_(std::move(source_name)), options_(options) {}

Result<void> WellFormed::check(EventBuffer& buffer) {
  grow_tables();
  uint32_t any_value = 0;
  for (const Event& event : buffer.events) any_value |= event.has_value;
  if (any_value != 0 && !values_) start_values(buffer.first_index == 0);
  if (values_) {
    value_known_.resize(symbols_.names(Space::location).size(), Known::initial);
    value_.resize(value_known_.size());
  }

  const EventBatch batch = buffer.batch();
  for (size_t i = 0; i < buffer.events.size(); ++i) {
    Event& event = buffer.events[i];
    if (event.op() == Op::skip) continue;
    // Most events are such accesses.
    if (is_access(event.op()) && attention_[event.thread] == kNone && !values_) continue;
    const bool is_right =
        (attention_[event.thread] == kNone || check_thread(event, buffer.first_index + i)) &&
        (is_access(event.op()) || check_operation(event)) &&
        (!values_ || space_of(event.op()) != Space::location || check_value(event, batch));
    if (event.op() == Op::skip && event.resumes != 0) {  // a re-entrant acquire
      event.resumes = 0;
      pause(event.thread, Pause::resumed);
    }
    if (!is_right) {
      if (Result<void> done = handle_fault(buffer, i); !done) return done;
    }
  }
  return {};
}

bool WellFormed::fault(Fault kind, std::string text) {
  fault_ = kind;
  fault_text_ = std::move(text);
  return false;
}

std::string WellFormed::place_of(const EventBuffer& buffer, size_t place) const {
  if (!buffer.lines.empty()) return fmt::format("{}:{}", source_name_, buffer.lines[place]);
  return fmt::format("{}: event {}", source_name_, buffer.first_index + place);
}

std::string WellFormed::thread_name(ThreadId id) const { return printable(symbols_.thread(id)); }
std::string WellFormed::lock_name(LockId id) const { return printable(symbols_.lock(id)); }

std::string WellFormed::holder_of(LockId lock) const {
  const Lock& state = locks_[lock];
  if (state.owner != kNobody) return "thread " + thread_name(state.owner);
  return counted(state.readers, "reader");
}

Result<void> WellFormed::handle_fault(EventBuffer& buffer, size_t place) {
  const std::string where = place_of(buffer, place);
  if (!options_.lenient) {
    return fail("{}: {}; {}", where, fault_text_,
                fault_ == Fault::bad_nesting
                    ? "--unnested accepts such locks, --lenient drops the event"
                    : "--lenient drops such events");
  }
  Event& event = buffer.events[place];
  if (event.resumes != 0) undo_resume(event);
  if (threads_[event.thread].first_index == buffer.first_index + place) {
    attention_[event.thread] |= kUnseen;  // its next event is the first one
  }
  event.set_op(Op::skip);
  event.resumes = 0;
  ++dropped_;
  ++dropped_by_fault_[static_cast<size_t>(fault_)];
  if (first_dropped_.size() < kDroppedShown) {
    first_dropped_.push_back(fmt::format("{}: dropped: {}", where, fault_text_));
  }
  return {};
}

std::vector<std::string> WellFormed::notes() const {
  std::vector<std::string> notes;
  if (reentrant_ > 0) {
    notes.push_back(fmt::format(
        "{}: {} filtered", source_name_,
        counted(reentrant_, "re-entrant acquire or release", "re-entrant acquires and releases")));
  }
  if (dropped_ == 0) return notes;
  notes.insert(notes.end(), first_dropped_.begin(), first_dropped_.end());
  if (dropped_ > first_dropped_.size()) {
    notes.push_back(fmt::format("{}: … and {} more", source_name_,
                                with_commas(dropped_ - first_dropped_.size())));
  }
  std::string kinds;
  for (size_t kind = 0; kind < kFaultCount; ++kind) {
    if (dropped_by_fault_[kind] == 0) continue;
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", with_commas(dropped_by_fault_[kind]),
                         kFaultNames[kind]);
  }
  notes.push_back(
      fmt::format("{}: {} dropped in all: {}", source_name_, counted(dropped_, "event"), kinds));
  return notes;
}

void WellFormed::grow_tables() {
  attention_.resize(symbols_.names(Space::thread).size(), kUnseen);
  threads_.resize(attention_.size());
  locks_.resize(symbols_.names(Space::lock).size());
}

// ---- threads

bool WellFormed::check_thread(Event& event, uint64_t index) {
  Thread& thread = threads_[event.thread];
  uint8_t& attention = attention_[event.thread];
  if ((attention & kJoined) != 0) {
    return fault(Fault::after_join, fmt::format("thread {} has an event after it was joined",
                                                thread_name(event.thread)));
  }
  if ((attention & kUnseen) != 0) {
    thread.first_index = index;
    attention &= static_cast<uint8_t>(~kUnseen);
  }
  return (attention & kPaused) != 0 ? check_resume(event, thread) : true;
}

bool WellFormed::check_resume(Event& event, Thread& thread) {
  if (thread.pause == Pause::wait) {
    const LockId lock = thread.waiting_for.lock;
    if (locks_[lock].owner != kNobody || locks_[lock].readers > 0) {
      return fault(Fault::acquire_of_held_lock,
                   fmt::format("thread {} goes on after its wait on lock {}, which {} holds",
                               thread_name(event.thread), lock_name(lock), holder_of(lock)));
    }
    // If this event is the re-acquire itself, check_acquire() takes the lock.
    if (event.op() != Op::acq || event.object != lock) {
      locks_[lock].owner = event.thread;
      thread.held.push_back(thread.waiting_for);
    }
  }
  thread.last_pause = thread.pause;
  thread.pause = Pause::none;
  event.resumes = 1;
  attention_[event.thread] &= static_cast<uint8_t>(~kPaused);
  return true;
}

// The event that ended a pause is dropped, so the pause goes on.
void WellFormed::undo_resume(const Event& event) {
  Thread& thread = threads_[event.thread];
  if (thread.last_pause == Pause::wait) {
    locks_[thread.waiting_for.lock].owner = kNobody;
    std::erase_if(thread.held,
                  [&](const HeldLock& held) { return held.lock == thread.waiting_for.lock; });
  }
  pause(event.thread, thread.last_pause);
}

void WellFormed::pause(ThreadId thread, Pause pause) {
  threads_[thread].pause = pause;
  attention_[thread] |= kPaused;
}

bool WellFormed::check_fork(const Event& event) {
  Thread& child = threads_[event.object];
  const std::string name = thread_name(event.object);
  if (event.object == event.thread) {
    return fault(Fault::before_fork, fmt::format("thread {} forks itself", name));
  }
  if (child.forked) {
    return fault(Fault::before_fork, fmt::format("thread {} is forked a second time", name));
  }
  if ((attention_[event.object] & kJoined) != 0) {
    return fault(Fault::before_fork, fmt::format("thread {} is forked after it was joined", name));
  }
  if ((attention_[event.object] & kUnseen) == 0) {
    return fault(Fault::before_fork,
                 fmt::format("thread {} is forked, but has events before (first: event {})", name,
                             child.first_index));
  }
  child.forked = true;
  return true;
}

bool WellFormed::check_join(const Event& event) {
  Thread& child = threads_[event.object];
  const std::string name = thread_name(event.object);
  if (event.object == event.thread) {
    return fault(Fault::join_of_running, fmt::format("thread {} joins itself", name));
  }
  std::string still;
  if (child.pause == Pause::wait) {
    still = fmt::format("waits on lock {}", lock_name(child.waiting_for.lock));
  } else if (!child.held.empty()) {
    still = fmt::format("holds lock {}", lock_name(child.held.back().lock));
  } else if (!child.units.empty()) {
    still = fmt::format("is inside unit {}",
                        printable(symbols_.names(Space::label)[child.units.back()]));
  }
  if (!still.empty()) {
    return fault(Fault::join_of_running,
                 fmt::format("thread {} is joined while it still {}", name, still));
  }
  attention_[event.object] |= kJoined;
  return true;
}

// ---- operations

bool WellFormed::check_operation(Event& event) {
  switch (event.op()) {
    case Op::acq:
      return check_acquire(event, false);
    case Op::racq:
      return check_acquire(event, true);
    case Op::rel:
      return check_release(event, false);
    case Op::rrel:
      return check_release(event, true);
    case Op::fork:
      return check_fork(event);
    case Op::join:
      return check_join(event);
    case Op::wait:
      return check_wait(event);
    case Op::beg:
      threads_[event.thread].units.push_back(event.object);
      return true;
    case Op::end:
      return check_unit_end(event);
    case Op::barrier:
      pause(event.thread, Pause::barrier);
      return true;
    default:
      return true;
  }
}

bool WellFormed::check_acquire(Event& event, bool shared) {
  Thread& thread = threads_[event.thread];
  Lock& lock = locks_[event.object];
  const auto mine = std::find_if(thread.held.begin(), thread.held.end(),
                                 [&](const HeldLock& h) { return h.lock == event.object; });
  if (mine != thread.held.end()) {
    if (mine->shared != shared) {
      return fault(Fault::acquire_of_held_lock,
                   fmt::format("thread {} acquires lock {} for {} while it holds it for {}",
                               thread_name(event.thread), lock_name(event.object),
                               shared ? "reading" : "writing", shared ? "writing" : "reading"));
    }
    ++mine->depth;
    ++reentrant_;
    // A wait's explicit re-acquire is not re-entrant: check_resume() left it.
    event.set_op(Op::skip);
    return true;
  }
  if (lock.owner != kNobody || (!shared && lock.readers > 0)) {
    return fault(
        Fault::acquire_of_held_lock,
        fmt::format("thread {} acquires lock {}, which {} holds", thread_name(event.thread),
                    lock_name(event.object), holder_of(event.object)));
  }
  uint32_t depth = 1;
  const bool after_wait = event.resumes != 0 && thread.last_pause == Pause::wait;
  if (after_wait && !shared && thread.waiting_for.lock == event.object) {
    depth = std::max(1U, thread.waiting_for.depth);
  }
  if (shared) {
    ++lock.readers;
  } else {
    lock.owner = event.thread;
  }
  thread.held.push_back({event.object, shared, depth});
  return true;
}

bool WellFormed::check_release(Event& event, bool shared) {
  Thread& thread = threads_[event.thread];
  const auto mine = std::find_if(thread.held.begin(), thread.held.end(), [&](const HeldLock& h) {
    return h.lock == event.object && h.shared == shared;
  });
  if (mine == thread.held.end()) {
    return fault(Fault::release_without_acquire,
                 fmt::format("thread {} releases lock {}, which it does not hold{}",
                             thread_name(event.thread), lock_name(event.object),
                             shared ? " for reading" : ""));
  }
  if (mine->depth > 1) {
    --mine->depth;
    ++reentrant_;
    event.set_op(Op::skip);
    return true;
  }
  if (!options_.unnested && mine != thread.held.end() - 1) {
    return fault(Fault::bad_nesting,
                 fmt::format("thread {} releases lock {} before lock {}, which it acquired later",
                             thread_name(event.thread), lock_name(event.object),
                             lock_name(thread.held.back().lock)));
  }
  thread.held.erase(mine);
  if (shared) {
    --locks_[event.object].readers;
  } else {
    locks_[event.object].owner = kNobody;
  }
  return true;
}

bool WellFormed::check_wait(const Event& event) {
  Thread& thread = threads_[event.thread];
  const auto mine = std::find_if(thread.held.begin(), thread.held.end(), [&](const HeldLock& h) {
    return h.lock == event.object && !h.shared;
  });
  if (mine == thread.held.end()) {
    return fault(Fault::wait_without_lock,
                 fmt::format("thread {} waits on lock {}, which it does not hold",
                             thread_name(event.thread), lock_name(event.object)));
  }
  thread.waiting_for = *mine;
  thread.held.erase(mine);
  locks_[event.object].owner = kNobody;
  pause(event.thread, Pause::wait);
  return true;
}

bool WellFormed::check_unit_end(const Event& event) {
  std::vector<uint32_t>& units = threads_[event.thread].units;
  const NameTable& labels = symbols_.names(Space::label);
  if (units.empty() || units.back() != event.object) {
    return fault(
        Fault::unbalanced_unit,
        fmt::format("thread {} ends unit {}, but {}", thread_name(event.thread),
                    printable(labels[event.object]),
                    units.empty() ? std::string("is inside none")
                                  : "its innermost one is " + printable(labels[units.back()])));
  }
  units.pop_back();
  return true;
}

// ---- values

void WellFormed::start_values(bool from_the_start) {
  values_ = true;
  // Events without values came before: what they wrote is not known.
  if (!from_the_start) {
    value_known_.assign(symbols_.names(Space::location).size(), Known::no);
  }
}

bool WellFormed::check_value(const Event& event, const EventBatch& batch) {
  Known& known = value_known_[event.object];
  int64_t& current = value_[event.object];
  const std::optional<int64_t> value = batch.value_of(event);
  if (reads(event.op()) && writes(event.op())) {
    known = Known::no;
  } else if (writes(event.op())) {
    known = value ? Known::yes : Known::no;
    current = value.value_or(0);
  } else if (value && known != Known::no && *value != current) {
    return fault(Fault::wrong_value,
                 fmt::format("thread {} reads {} from {}, but {} {}", thread_name(event.thread),
                             *value, printable(symbols_.location(event.object)),
                             known == Known::initial ? "nothing was written and it starts as"
                                                     : "the last write gave it",
                             current));
  }
  return true;
}

}  // namespace foretrace
