// Contexts and threads that only an early round of linking believed in are forgotten. They
// are more than those that are left.
#include <algorithm>

#include "lint/program_state.h"

namespace foretrace::lint {
namespace {

// The elements of a list by context that are kept.
template <typename T>
void keep_only(std::vector<T>& list, const std::vector<bool>& kept) {
  size_t next = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!kept[i]) continue;
    if (i != next) list[next] = std::move(list[i]);
    ++next;
  }
  list.resize(next);
  list.shrink_to_fit();
}

}  // namespace

void Program::State::drop_dead_threads() {
  std::vector<ThreadIndex> numbers(threads.size(), 0);
  std::vector<Thread> kept;
  for (size_t i = 0; i < threads.size(); ++i) {
    if (!live[threads[i].root]) continue;
    numbers[i] = static_cast<ThreadIndex>(kept.size());
    kept.push_back(threads[i]);
  }
  for (Context& context : contexts) {
    if (!threads.empty()) context.thread = numbers[context.thread];
  }
  for (auto& [place, made] : spawned) {
    std::erase_if(made, [&](ThreadIndex thread) { return !live[threads[thread].root]; });
    for (ThreadIndex& thread : made) thread = numbers[thread];
  }
  threads = std::move(kept);
}

// Those that threads come to, and those that lead to them, or once held a lock for them.
std::vector<bool> Program::State::contexts_to_keep() const {
  std::vector<bool> kept(contexts.size(), false);
  std::vector<ContextId> work{0};
  for (ContextId id = 0; id < contexts.size(); ++id) {
    if (live[id]) work.push_back(id);
  }
  for (const Thread& thread : threads) work.push_back(thread.creator);
  while (!work.empty()) {
    const ContextId id = work.back();
    work.pop_back();
    if (kept[id]) continue;
    kept[id] = true;
    work.push_back(contexts[id].parent);
    for (const HeldLock& lock : contexts[id].held) work.push_back(lock.region_context);
  }
  return kept;
}

// Gives those that are kept numbers without gaps, in the same order.
void Program::State::renumber_contexts(const std::vector<bool>& kept) {
  std::vector<ContextId> numbers(contexts.size(), 0);
  ContextId next = 0;
  for (ContextId id = 0; id < contexts.size(); ++id) {
    if (kept[id]) numbers[id] = next++;
  }
  keep_only(contexts, kept);
  keep_only(keys, kept);
  keep_only(callees, kept);
  keep_only(live, kept);
  for (Context& context : contexts) {
    context.parent = numbers[context.parent];
    for (HeldLock& lock : context.held) lock.region_context = numbers[lock.region_context];
  }
  for (Calls& calls : callees) calls.renumber(numbers);
  for (Thread& thread : threads) {
    thread.root = numbers[thread.root];
    thread.creator = numbers[thread.creator];
  }
  std::map<std::pair<ContextId, uint32_t>, std::vector<ThreadIndex>> started;
  for (auto& [place, made] : spawned) {
    if (!kept[place.first]) continue;
    started[{numbers[place.first], place.second}] = std::move(made);
  }
  spawned = std::move(started);
}

void Program::State::drop_dead() {
  // No context and no thread is made from here on.
  context_ids.clear();
  thread_ids.clear();
  threads_of_spawn.clear();
  inputs = {};
  returned = {};
  drop_dead_threads();
  for (ContextId id = 0; id < contexts.size(); ++id) {
    if (live[id]) continue;
    callees[id] = {};
    keys[id] = {};
    contexts[id].held = {};
  }
  renumber_contexts(contexts_to_keep());
  times_called.clear();
  for (ContextId id = 0; id < contexts.size(); ++id) {
    if (!live[id]) continue;
    if (contexts[id].repeated || threads[contexts[id].thread].many) {
      repeated.insert(contexts[id].function);
    }
    for (const ContextId callee : callees[id].all()) ++times_called[contexts[callee].function];
  }
}

}  // namespace foretrace::lint
