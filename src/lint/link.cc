// Contexts and threads: who calls whom with what. Rounds over all contexts until
// nothing new comes up.
#include <algorithm>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/sort_once.h"
#include "lint/locksets.h"
#include "lint/program_state.h"

namespace foretrace::lint {
namespace {

constexpr int kMaxRounds = 40;
// About as many contexts as there is time and memory for. The functions of the program
// share them.
constexpr size_t kContexts = 100'000;

// Locks that all callers hold. True if these are no longer the same.
bool keep_common(std::vector<HeldLock>& held, const std::vector<HeldLock>& more) {
  bool changed = false;
  const size_t dropped = std::erase_if(held, [&](HeldLock& lock) {
    const auto same = std::find_if(more.begin(), more.end(), [&](const HeldLock& other) {
      return other.lock == lock.lock && other.kind == lock.kind;
    });
    if (same == more.end()) return true;
    const bool shared = lock.shared || same->shared;
    const bool sure = lock.sure && same->sure;
    changed = changed || lock.path.known() || shared != lock.shared || sure != lock.sure;
    lock.path = {};
    lock.shared = shared;
    lock.sure = sure;
    return false;
  });
  return changed || dropped > 0;
}

bool has_spawn(const Function& function) {
  for (const Block& block : function.blocks) {
    for (const Op& op : block.ops) {
      if (op.as<Spawn>() != nullptr) return true;
    }
  }
  return false;
}

}  // namespace

void Program::State::index() {
  static const Function outside;
  contexts.push_back({&outside, 0, 0, 0, false, {}});  // where globals are initialised
  keys.emplace_back();
  callees.emplace_back();
  for (Summary& summary : summaries) {
    for (Function& function : summary.functions) {
      // Every program has a main of its own.
      if (function.is_main) function.usr = Name(function.usr.text() + "@" + summary.main_file);
      functions.try_emplace(function.usr, &function);
    }
    for (const Global& global : summary.globals) globals.try_emplace(global.usr, &global);
  }
  const size_t share = kContexts / std::max<size_t>(functions.size(), 1);
  max_contexts = std::clamp<size_t>(share, 2, 48);
  max_threads = std::clamp<size_t>(share / 8, 1, 8);
  fill_locksets(functions);
  for (const auto& [usr, function] : functions) {
    auto& by_id = ops[function];
    for (uint32_t block = 0; block < function->blocks.size(); ++block) {
      for (const Op& op : function->blocks[block].ops) {
        by_id[op.id] = {block, &op};
        const Release* release = op.as<Release>();
        if (release != nullptr && !release->by_wait && !release->if_held) {
          releases[function].push_back(release);
        }
      }
    }
    std::vector<Name> bases = function->overrides;
    for (size_t i = 0; i < bases.size(); ++i) {
      std::vector<Name>& known = overriders[bases[i]];
      if (std::find(known.begin(), known.end(), usr) != known.end()) continue;
      known.push_back(usr);
      if (const auto base = functions.find(bases[i]); base != functions.end()) {
        const std::vector<Name>& more = base->second->overrides;
        bases.insert(bases.end(), more.begin(), more.end());
      }
    }
  }
}

size_t hash_of(const ContextKey& key) {
  uint64_t hash = mixed(reinterpret_cast<uintptr_t>(key.function));
  const auto add = [&](uint64_t part) { hash = mixed(hash ^ part); };
  const auto add_set = [&](const LocationSet& set) {
    add(set.size());
    for (const LocationId location : set) add(location);
  };
  add(uint64_t{key.thread} * 4 + (key.repeated ? 2U : 0U) + (key.merged ? 1U : 0U));
  add_set(key.self);
  for (const LocationSet& parameter : key.parameters) add_set(parameter);
  for (const auto& [lock, shared, path] : key.held) add(uint64_t{lock} * 2 + (shared ? 1U : 0U));
  return hash;
}

ContextId Program::State::enter(const ContextKey& key, const Context& made) {
  const auto known = context_ids.find(key);
  if (known != context_ids.end()) return *known;
  const auto id = static_cast<ContextId>(contexts.size());
  contexts.push_back(made);
  keys.push_back(key);
  callees.emplace_back();
  context_ids.insert(id);
  return id;
}

std::vector<HeldLock> Program::State::locks_at(ContextId context, const Op& op) {
  std::vector<HeldLock> locks;
  std::vector<HeldLock> own;
  std::vector<LocationId> still;  // callers' locks that were not given back yet
  for (const Held& held : op.held) {
    const LocationSet found = locations_of(context, held.lock);
    if (found.empty()) continue;
    if (held.acquired_by == kIfCaller) {
      still.push_back(found[0]);
      continue;
    }
    const std::vector<HeldLock>& callers = contexts[context].held;
    if (held.if_caller && std::none_of(callers.begin(), callers.end(),
                                       [&](const HeldLock& one) { return one.lock == found[0]; })) {
      continue;
    }
    own.push_back({found[0], found.size() == 1, held.shared, held.kind, held.lock, context,
                   held.acquired_by});
  }
  // Locks of callers that the function touches itself are held where it has not given
  // them back.
  std::set<LocationId> touched;
  if (!contexts[context].held.empty()) {
    for (const Release* release : releases[contexts[context].function]) {
      for (const LocationId lock : locations_of(context, release->lock)) touched.insert(lock);
    }
  }
  for (const HeldLock& held : contexts[context].held) {
    const bool given_back = touched.contains(held.lock) &&
                            std::find(still.begin(), still.end(), held.lock) == still.end();
    const bool twice = std::any_of(own.begin(), own.end(),
                                   [&](const HeldLock& other) { return other.lock == held.lock; });
    if (!given_back && !twice) locks.push_back(held);
  }
  locks.insert(locks.end(), own.begin(), own.end());
  return locks;
}

std::vector<HeldLock> Program::State::locks_for_callee(ContextId context, const Op& op,
                                                       const Given& given) {
  std::vector<HeldLock> locks = locks_at(context, op);
  for (HeldLock& held : locks) held.path = to_callee(held.path, given).value_or(Path{});
  return locks;
}

std::vector<const Function*> Program::State::targets(ContextId context, const Call& call) {
  std::vector<const Function*> found;
  if (!call.callee.empty()) {
    if (call.is_virtual) return overriding(context, call.callee, call.receiver);
    const auto known = functions.find(call.callee);
    if (known != functions.end()) found.push_back(known->second);
    return found;
  }
  for (const LocationId location : pointees_of(context, call.through)) {
    const Location target = locations.at(location);
    if (target.kind != Location::Kind::function) continue;
    for (const Function* const body : overriding(context, target.name, {})) found.push_back(body);
  }
  return found;
}

std::vector<const Function*> Program::State::overriding(ContextId context, Name usr,
                                                        const Value& receiver) {
  std::vector<const Function*> found;
  const auto add = [&](Name one) {
    const auto known = functions.find(one);
    if (known != functions.end()) found.push_back(known->second);
  };
  add(usr);
  const auto others = overriders.find(usr);
  if (others == overriders.end()) return found;
  for (const Name other : others->second) add(other);
  // Where the objects are known, only what their classes have.
  std::set<Name> classes;
  for (const LocationId location : pointees_of(context, receiver)) {
    const Location& object = locations.at(location);
    Name type;
    const auto owner = functions.find(object.name);
    if (object.kind == Location::Kind::heap && owner != functions.end()) {
      type = owner->second->allocations[object.index].type;
    } else if (object.kind == Location::Kind::local && owner != functions.end() &&
               object.index < owner->second->locals.size()) {
      type = owner->second->locals[object.index].type;
    } else if (object.kind == Location::Kind::global && globals.contains(object.name)) {
      type = globals[object.name]->type;
    }
    if (type.empty()) return found;
    classes.insert(type);
  }
  if (classes.empty()) return found;
  std::vector<const Function*> exact;
  for (const Function* function : found) {
    if (classes.contains(function->class_name)) exact.push_back(function);
  }
  return exact.size() >= classes.size() ? exact : found;
}

ContextId Program::State::call(ContextId caller, const Op& op, const Function& callee,
                               bool in_loop) {
  const Call& call = *op.as<Call>();
  const Given given = given_by(call);
  ContextKey key;
  key.thread = contexts[caller].thread;
  key.function = &callee;
  key.repeated = contexts[caller].repeated || in_loop;
  if (call.is_method && !call.callee.empty()) {
    key.self = told_apart(pointees_of(caller, call.receiver), callee.class_name);
  }
  for (size_t i = 0; i < call.arguments.size() && i < callee.parameters.size(); ++i) {
    key.parameters.push_back(
        told_apart(pointees_of(caller, call.arguments[i]), callee.parameters[i].type));
    bind_captures(caller, call.arguments[i]);
  }
  Context made;
  made.function = &callee;
  made.thread = key.thread;
  made.parent = caller;
  made.call_op = op.id;
  made.repeated = key.repeated;
  made.held = locks_for_callee(caller, op, given);
  for (const HeldLock& held : made.held) key.held.emplace_back(held.lock, held.shared, held.path);
  if (!context_ids.contains(key) && times_called[&callee] >= max_contexts) {
    // Too many kinds of calls: from now on the objects are not told apart.
    key.merged = key.repeated = made.repeated = true;
    key.held.clear();
    key.self = merged(key.self, callee.class_name);
    for (size_t i = 0; i < key.parameters.size(); ++i) {
      key.parameters[i] = merged(key.parameters[i], callee.parameters[i].type);
    }
  }
  if (!context_ids.contains(key)) ++times_called[&callee];
  const ContextId id = enter(key, made);
  if (key.merged && keep_common(contexts[id].held, made.held)) {
    held_changed = true;
    if (id < inputs.size()) inputs[id].changed = true;
  }
  return id;
}

// Whether a visit may find something new: it was not yet, or it looked at something that is not
// the same any more.
bool Program::State::is_stale(ContextId id) {
  if (inputs.size() < contexts.size()) inputs.resize(contexts.size());
  const Inputs& last = inputs[id];
  if (last.changed) return true;
  return std::any_of(last.cells.begin(), last.cells.end(),
                     [&](LocationId cell) {
                       known_contents(cell);
                       return cells[cell].changed > last.visited;
                     }) ||
         std::any_of(
             last.results.begin(), last.results.end(),
             [&](ContextId callee) { return returned_by(callee).changed > last.visited; }) ||
         (last_joined >= last.visited &&
          std::any_of(last.written.begin(), last.written.end(),
                      [&](LocationId cell) { return has_new_wholes(cell, last.visited); }));
}

bool Program::State::visit(ContextId id) {
  Inputs now;
  now.changed = false;
  looked_at = &now;
  inputs[id].changed = false;
  bool changed = false;
  const Function& function = *contexts[id].function;
  for (const Binding& binding : function.bindings) changed = bind(id, binding) || changed;
  for (const Block& block : function.blocks) {
    for (const Op& op : block.ops) {
      if (const Call* made = op.as<Call>()) {
        std::vector<ContextId> found;
        for (const Function* target : targets(id, *made)) {
          found.push_back(call(id, op, *target, block.in_loop));
        }
        changed = callees[id].set(op.id, found) || changed;
      } else if (const Spawn* started = op.as<Spawn>()) {
        changed = spawn(id, op, *started) || changed;
        now.changed = true;  // the threads that there are decide too
      }
    }
  }
  looked_at = nullptr;
  sort_once(now.cells);
  sort_once(now.written);
  sort_once(now.results);
  now.visited = rounds;
  now.changed = now.changed || changed || inputs[id].changed;
  inputs[id] = std::move(now);
  return changed;
}

bool Program::State::round() {
  bool changed = false;
  held_changed = false;
  ++rounds;
  for (const Summary& summary : summaries) {
    for (const Binding& binding : summary.bindings) changed = bind(0, binding) || changed;
  }
  live.assign(contexts.size(), false);
  std::vector<ContextId> work;
  for (const Thread& thread : threads) {
    if (thread.is_main) work.push_back(thread.root);
  }
  while (!work.empty()) {
    const ContextId id = work.back();
    work.pop_back();
    if (live.size() < contexts.size()) live.resize(contexts.size(), false);
    if (live[id]) continue;
    live[id] = true;
    if (is_stale(id)) changed = visit(id) || changed;
    work.insert(work.end(), callees[id].all().begin(), callees[id].all().end());
    for (auto made = spawned.lower_bound({id, 0}); made != spawned.end() && made->first.first == id;
         ++made) {
      for (const ThreadIndex thread : made->second) work.push_back(threads[thread].root);
    }
  }
  live.resize(contexts.size(), false);
  return changed || last_joined == rounds || held_changed;
}

void Program::State::add_roots(bool leftover) {
  std::set<const Function*> reached;
  for (ContextId id = 0; id < contexts.size(); ++id) {
    if (id < live.size() && live[id]) reached.insert(contexts[id].function);
  }
  std::set<Name> called;
  bool has_main = false;
  for (const auto& [usr, function] : functions) {
    has_main = has_main || function->is_main;
    for (const Block& block : function->blocks) {
      for (const Op& op : block.ops) {
        if (const Call* call = op.as<Call>()) called.insert(call->callee);
      }
    }
  }
  std::vector<const Function*> roots;
  for (const auto& [usr, function] : functions) {
    if (reached.contains(function) || function->is_lambda) continue;
    const bool uncalled = !has_main && function->is_external && !called.contains(usr);
    if (function->is_main || uncalled || (leftover && has_spawn(*function))) {
      roots.push_back(function);
    }
  }
  std::sort(roots.begin(), roots.end(), [](const Function* a, const Function* b) {
    return std::tie(a->is_main, a->position, a->name) < std::tie(b->is_main, b->position, b->name);
  });
  for (const Function* function : roots) {
    ContextKey key;
    key.thread = static_cast<ThreadIndex>(threads.size());
    key.function = function;
    Context root;
    root.function = function;
    root.thread = key.thread;
    const ContextId id = enter(key, root);
    contexts[id].parent = id;
    Thread thread;
    thread.root = id;
    thread.is_main = true;
    thread.name = function->is_main ? "main" : "a caller of " + function->name;
    threads.push_back(std::move(thread));
  }
}

void Program::State::link() {
  index();
  for (const bool guessing : {false, true}) {
    guess = guessing;
    for (const bool leftover : {false, true}) {  // what starts threads and was not reached
      add_roots(leftover);
      members.clear();
      member_of.clear();
      joined_in.clear();
      inputs.clear();
      for (int i = 0; i < kMaxRounds && round(); ++i) {
      }
      ++rounds;
      find_shared();
    }
  }
  ++rounds;
  drop_dead();
  find_shared();
  find_lives();
  find_alone();
  find_overlaps();
  find_callers();
  find_phases();
}

}  // namespace foretrace::lint
