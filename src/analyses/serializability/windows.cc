#include "analyses/serializability/windows.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/table.h"

namespace foretrace::serializability {
namespace {

ThreadId thread_of(const Use& use) { return use.event.thread; }
template <typename Window>
ThreadId thread_of(const Window& window) {
  return window.thread();
}

// Replaces the latest one of the same thread or, if there are enough, the oldest.
template <typename Alike, typename T>
void keep(Alike& alike, const T& one, size_t count) {
  auto& latest = alike.latest;
  const auto same = std::find_if(latest.begin(), latest.end(), [&](const T& other) {
    return thread_of(other) == thread_of(one);
  });
  alike.forgot |= same != latest.end() || latest.size() == count;
  if (same != latest.end()) {
    latest.erase(same);
  } else if (latest.size() == count) {
    latest.erase(latest.begin());
  }
  latest.push_back(one);
}

uint64_t with_place(uint64_t key, Op op, SiteId site) {
  return mixed(key + (uint64_t{site} << 8 | static_cast<uint64_t>(op)));
}

// By labels, operations and sites; without sites, also by what is used.
uint64_t key_of(const UnitStack& units, const Use& first, const Use& second) {
  uint64_t key = with_place(units.hash, first.op, first.event.site);
  key = with_place(key, second.op, second.event.site);
  const bool has_sites = first.event.site != kNoSite && second.event.site != kNoSite;
  return has_sites ? key : mixed(key + (uint64_t{first.object} << 3) + 1);
}

}  // namespace

void Windows::process(uint64_t index, const Event& event) {
  Thread& thread = slot(threads_, event.thread);
  if (event.resumes != 0) resume(index, event, thread);
  switch (event.op()) {
    case Op::rd:
    case Op::wr:
      return use(use_at(index, event), thread);
    case Op::vrd:
    case Op::vwr:
    case Op::vrmw:
    case Op::ard:
    case Op::awr:
    case Op::armw:
      use(use_at(index, event), thread);
      break;
    case Op::acq:
    case Op::racq:
      // resume() has seen an acquire that ends a wait.
      if (thread.resumed_at == index && thread.wait_lock == event.object) break;
      use(use_at(index, event), thread);
      thread.holding.push_back({{event.object, event.op() == Op::racq}, index});
      break;
    case Op::wait:
      thread.waiting = true;
      thread.wait_lock = event.object;
      [[fallthrough]];
    case Op::rel:
    case Op::rrel:
      if (thread.units.depth() > 0) pairs_.release(event.thread, event.object, index);
      walks_.release(event.thread, event.object, index);
      std::erase_if(thread.holding,
                    [&](const Holding& held) { return held.lock.lock == event.object; });
      break;
    case Op::beg:
      if (thread.units.depth() == 0) {
        thread.outermost = ++units_;
        thread.outermost_label = event.object;
      }
      thread.units.begin(event.object, index);
      break;
    case Op::end:
      end_unit(event.thread, thread);
      break;
    case Op::fork:
      slot(threads_, event.object).learnt_at = index;  // `thread` may have moved
      [[fallthrough]];
    case Op::barrier:
      fixed_order_.advance(event);
      break;
    case Op::join:
      fixed_order_.advance(event);
      thread.learnt_at = index;
      break;
    default:
      break;
  }
  held_.advance(event);
}

void Windows::resume(uint64_t index, const Event& event, Thread& thread) {
  fixed_order_.resume(event.thread);
  thread.learnt_at = index;
  if (thread.waiting) {
    thread.waiting = false;
    thread.resumed_at = index;
    Use back = use_at(index, event);
    back.op = Op::acq;
    back.object = thread.wait_lock;
    use(back, thread);
    thread.holding.push_back({{thread.wait_lock, false}, index});
  }
  held_.resume(event);
}

Use Windows::use_at(uint64_t index, const Event& event) {
  return {index,
          event,
          event.op(),
          event.object,
          fixed_order_.epoch(event.thread),
          held_.held(event.thread)};
}

// The locks that the thread has held since before that event.
LocksetId Windows::held_since(const Thread& thread, uint64_t index) {
  LocksetId held = kEmptyLockset;
  for (const Holding& holding : thread.holding) {
    if (holding.since < index) held = locksets_.with(held, holding.lock);
  }
  return held;
}

void Windows::end_unit(ThreadId id, Thread& thread) {
  const uint32_t label = thread.units.labels(1).front();
  const uint64_t begin = thread.units.begin_of(0);
  thread.units.end();
  if (thread.units.depth() > 0) return;
  pairs_.end(id, label, thread.learnt_at < begin);
  walks_.end(id, label, std::exchange(thread.outermost, 0));
  for (const uint64_t key : thread.used) thread.in_unit.erase(key);
  thread.used.clear();
}

void Windows::use(const Use& use, Thread& thread) {
  Object& object = slot(space_of(use.op) == Space::lock ? locks_ : locations_, use.object);
  if (thread.units.depth() > 0) use_in_unit(object, use, thread);
  walks_.use(use, thread.outermost, thread.outermost_label);
  add_use(object, use);
}

void Windows::use_in_unit(Object& object, const Use& use, Thread& thread) {
  const uint64_t key = uint64_t{use.object} << 1 | (space_of(use.op) == Space::lock ? 1 : 0);
  const auto [entry, fresh] = thread.in_unit.try_emplace(key);
  InUnit& in_unit = entry.value();
  const bool writes = !only_reads(use.op);
  pairs_.use(use);
  if (fresh) {
    thread.used.push_back(key);
  } else {
    const bool last_wrote = in_unit.has_write && in_unit.last_write.index == in_unit.last.index;
    const bool both = writes && last_wrote;
    add_window(object, in_unit.last, use, both ? Culprits::both : Culprits::writers, thread);
    if (writes && in_unit.has_write && !last_wrote) {
      add_window(object, in_unit.last_write, use, Culprits::readers, thread);
    }
  }
  in_unit.last = use;
  if (!writes) return;
  in_unit.last_write = use;
  in_unit.has_write = true;
}

void Windows::add_window(Object& object, const Use& first, const Use& second, Culprits culprits,
                         Thread& thread) {
  const size_t common = thread.units.containing(first.index);
  if (common == 0) return;
  const Window window = {first, second, thread.units.outermost(common),
                         held_since(thread, first.index), thread.learnt_at < first.index};
  WindowClass& windows = class_of(object, window, culprits);
  match(object, windows, window);
  keep(windows, window, kKept);
}

void Windows::add_use(Object& object, const Use& use) {
  UseClass& uses = class_of(object, use);
  match(object, uses, use);
  keep(uses, use, kKept);
}

Windows::UseClass& Windows::class_of(Object& object, const Use& use) {
  const auto found = std::find_if(
      object.uses.begin(), object.uses.end(),
      [&](const UseClass& uses) { return uses.op == use.op && uses.site == use.event.site; });
  if (found != object.uses.end()) return *found;
  return object.uses.emplace_back(UseClass{{}, use.op, use.event.site});
}

Windows::WindowClass& Windows::class_of(Object& object, const Window& window, Culprits culprits) {
  const uint64_t key = key_of(*window.units, window.first, window.second);
  const uint64_t object_key =
      uint64_t{window.first.object} << 1 | (space_of(window.first.op) == Space::lock ? 1 : 0);
  const uint64_t full = mixed(mixed(key + object_key) + static_cast<uint64_t>(culprits));
  const auto [entry, fresh] =
      window_classes_.try_emplace(full, static_cast<uint32_t>(object.windows.size()));
  if (fresh) object.windows.push_back({{}, key, culprits});
  return object.windows[entry->second];
}

bool Windows::exclude_each_other(LocksetId a, LocksetId b) {
  if (a == kEmptyLockset || b == kEmptyLockset) return false;
  Exclusion& known = exclusions_[mixed(uint64_t{a} << 32 | b) % exclusions_.size()];
  if (known.a != a || known.b != b) known = {a, b, locksets_.exclude_each_other(a, b)};
  return known.exclude;
}

bool Windows::is_given_up(Partner& partner) {
  return groups_[partner.group].tried >= kTried || ++partner.looks >= kLooks;
}

uint32_t Windows::group_of(uint64_t window_key, const UseClass& uses) {
  const auto [entry, fresh] = group_numbers_.try_emplace(with_place(window_key, uses.op, uses.site),
                                                         static_cast<uint32_t>(groups_.size()));
  if (fresh) groups_.emplace_back();
  return entry->second;
}

// Earlier uses by other threads may come after the window's begin, unless the
// fixed order forbids it.
void Windows::match(Object& object, WindowClass& windows, const Window& window) {
  for (; windows.partners_seen < object.uses.size(); ++windows.partners_seen) {
    const UseClass& uses = object.uses[windows.partners_seen];
    if (!may_match(windows, uses)) continue;
    windows.partners.push_back(
        {static_cast<uint32_t>(windows.partners_seen), group_of(windows.key, uses), 0});
  }
  std::erase_if(windows.partners, [&](Partner& partner) {
    const UseClass& uses = object.uses[partner.place];
    if (uses.forgot) ++left_out_;
    for (const Use& culprit : uses.latest) {
      if (thread_of(culprit) == window.thread()) continue;
      const bool fixed =
          window.first_knows_all && fixed_order_.ordered(culprit.epoch, window.thread());
      if (culprit.index > window.first.index) {
        groups_[partner.group].observed = true;
      } else if (!fixed && !exclude_each_other(culprit.held, window.held_through)) {
        add(partner.group, window, culprit);
      }
    }
    return is_given_up(partner);
  });
}

// A use may come before the end of earlier windows of other threads.
void Windows::match(Object& object, UseClass& uses, const Use& use) {
  for (; uses.partners_seen < object.windows.size(); ++uses.partners_seen) {
    const WindowClass& windows = object.windows[uses.partners_seen];
    if (!may_match(windows, uses)) continue;
    uses.partners.push_back(
        {static_cast<uint32_t>(uses.partners_seen), group_of(windows.key, uses), 0});
  }
  std::erase_if(uses.partners, [&](Partner& partner) {
    const WindowClass& windows = object.windows[partner.place];
    if (windows.forgot) ++left_out_;
    for (const Window& window : windows.latest) {
      if (window.thread() == thread_of(use)) continue;
      if (fixed_order_.ordered(window.second.epoch, thread_of(use)) ||
          exclude_each_other(use.held, window.held_through)) {
        continue;
      }
      add(partner.group, window, use);
    }
    return is_given_up(partner);
  });
}

void Windows::add(uint32_t number, const Window& window, const Use& culprit) {
  Group& group = groups_[number];
  if (group.tried == kTried) {
    ++left_out_;
    return;
  }
  ++group.tried;
  found_.push_back({window.first, window.second, culprit, window.units, uint64_t{number} + 1});
}

std::vector<Intrusion> Windows::take() {
  std::erase_if(found_, [&](const Intrusion& one) { return groups_[one.group - 1].observed; });
  std::stable_sort(found_.begin(), found_.end(), [](const Intrusion& a, const Intrusion& b) {
    return std::tuple(a.group, a.distance()) < std::tuple(b.group, b.distance());
  });
  return std::move(found_);
}

// Units that are still open are over.
std::vector<Tangle> Windows::take_tangles() {
  for (ThreadId id = 0; id < threads_.size(); ++id) {
    while (threads_[id].units.depth() > 0) end_unit(id, threads_[id]);
  }
  std::vector<Tangle> tangles = pairs_.take();
  const uint64_t groups = tangles.empty() ? 0 : tangles.back().group;
  for (Tangle& tangle : walks_.take()) {
    tangle.group += groups;
    tangles.push_back(tangle);
  }
  return tangles;
}

std::vector<Ring> Windows::take_rings() { return walks_.take_rings(); }

}  // namespace foretrace::serializability
