// Threads: who starts which, and with what.
#include <algorithm>

#include <fmt/format.h>

#include "lint/program_state.h"

namespace foretrace::lint {

// A thread for each context that starts one; where there are too many of them, the
// others are one kind of thread. True if it is new.
std::pair<ThreadIndex, bool> Program::State::thread_for(ContextId creator, uint32_t op,
                                                        const Function& entry) {
  const auto known = thread_ids.find({creator, op, entry.usr});
  if (known != thread_ids.end()) return {known->second, false};
  std::vector<ThreadIndex>& alike = threads_of_spawn[{contexts[creator].function, op, entry.usr}];
  const bool fresh = alike.size() <= max_threads;
  if (fresh) {
    alike.push_back(static_cast<ThreadIndex>(threads.size()));
    threads.emplace_back();
    threads.back().merged = alike.size() > max_threads;
  }
  thread_ids[{creator, op, entry.usr}] = alike.back();
  return {alike.back(), fresh};
}

// What a merged thread is given by all who start it.
void Program::State::add_arguments(ContextKey& key, const ContextKey& more) {
  const auto both = [&](LocationSet& set, const LocationSet& other, Name type) {
    add_to(set, other);
    set = told_apart(set, type);
  };
  both(key.self, more.self, key.function->class_name);
  for (size_t i = 0; i < key.parameters.size() && i < more.parameters.size(); ++i) {
    both(key.parameters[i], more.parameters[i], key.function->parameters[i].type);
  }
}

// A method is run as a virtual one: t->start() of a QThread* runs what its object has.
std::vector<const Function*> Program::State::entries(ContextId creator, const Spawn& spawn) {
  std::vector<const Function*> found;
  for (const LocationId location : pointees_of(creator, spawn.entry)) {
    const Location target = locations.at(location);
    if (target.kind != Location::Kind::function) continue;
    for (const Function* const entry : overriding(creator, target.name, spawn.receiver)) {
      if (std::find(found.begin(), found.end(), entry) == found.end()) found.push_back(entry);
    }
  }
  return found;
}

// Whether only one thread of an OpenMP team does it.
bool Program::State::is_once(ContextId context, const Op& op) {
  const std::vector<HeldLock> held = locks_at(context, op);
  return std::any_of(held.begin(), held.end(),
                     [](const HeldLock& lock) { return lock.kind == LockKind::once; });
}

bool Program::State::spawn(ContextId creator, const Op& op, const Spawn& spawn) {
  bool changed = bind_captures(creator, spawn.entry);
  for (const Value& argument : spawn.arguments) {
    changed = bind_captures(creator, argument) || changed;
  }
  std::vector<ThreadIndex>& made = spawned[{creator, op.id}];
  made.clear();
  for (const Function* const entry : entries(creator, spawn)) {
    // A thread that starts threads of its own kind: they are one kind.
    bool again = false;
    for (ContextId c = creator;;) {
      const Thread& thread = threads[contexts[c].thread];
      if (thread.is_main) break;
      if (contexts[thread.root].function == entry &&
          contexts[thread.creator].function == contexts[creator].function) {
        threads[contexts[c].thread].many = true;
        made.push_back(contexts[c].thread);
        again = true;
        break;
      }
      c = thread.creator;
    }
    if (again) continue;
    const auto [number, fresh] = thread_for(creator, op.id, *entry);
    changed = changed || fresh;
    ContextKey key;
    key.thread = number;
    key.function = entry;
    key.self = pointees_of(creator, spawn.receiver);
    for (size_t i = 0; i < spawn.arguments.size() && i < entry->parameters.size(); ++i) {
      key.parameters.push_back(pointees_of(creator, spawn.arguments[i]));
    }
    if (threads[number].merged && !fresh) add_arguments(key, keys[threads[number].root]);
    Context root;
    root.function = entry;
    root.thread = number;
    const ContextId id = enter(key, root);
    contexts[id].parent = id;
    Thread& thread = threads[number];
    changed = changed || thread.root != id;
    thread.root = id;
    thread.creator = creator;
    thread.spawn_op = op.id;
    const Function& starter = *contexts[creator].function;
    thread.many = thread.merged || spawn.many || contexts[creator].repeated ||
                  starter.blocks[ops[&starter][op.id].first].in_loop ||
                  (threads[contexts[creator].thread].many && !is_once(creator, op));
    thread.name = fmt::format("{} (started at {})", entry->name, to_string(op.position));
    made.push_back(number);
  }
  return changed;
}

}  // namespace foretrace::lint
