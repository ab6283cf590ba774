// What may happen in parallel: which threads live at an op, by start and join order.
#include <algorithm>

#include "lint/graphs.h"
#include "lint/program_state.h"

namespace foretrace::lint {
namespace {

using Threads = std::set<ThreadIndex>;

// Where ways meet: threads that live on one of them, joined on both.
bool merge(Lives& known, const Lives& more) {
  if (!known.reached) {
    known = more;
    known.reached = true;
    return true;
  }
  const Lives before = known;
  known.started.insert(more.started.begin(), more.started.end());
  std::erase_if(known.ended, [&](ThreadIndex t) { return !more.ended.contains(t); });
  return !(known == before);
}

void end(Lives& lives, const Threads& joined) {
  for (const ThreadIndex thread : joined) {
    lives.started.erase(thread);
    lives.ended.insert(thread);
  }
}

void then(Lives& lives, const Lives& callee) {
  for (const ThreadIndex thread : callee.ended) {
    lives.started.erase(thread);
    lives.ended.insert(thread);
  }
  for (const ThreadIndex thread : callee.started) {
    lives.ended.erase(thread);
    lives.started.insert(thread);
  }
}

bool through_pointer_or_element(const Path& path) {
  return std::any_of(path.steps.begin(), path.steps.end(),
                     [](const Step& step) { return step.kind != Step::Kind::field; });
}

bool starts_or_joins(const Block& block) {
  return std::any_of(block.ops.begin(), block.ops.end(), [](const Op& op) {
    return op.as<Spawn>() != nullptr || op.as<Join>() != nullptr;
  });
}

bool asks_joinable(const Block& block) {
  return std::any_of(block.ops.begin(), block.ops.end(), [](const Op& op) {
    const Call* call = op.as<Call>();
    return call != nullptr &&
           (call->name.text().ends_with("::joinable") || call->name.text().ends_with("::valid"));
  });
}

}  // namespace

// A handle is joined if the join can mean no other thread's.
Threads Program::State::joined_by(ContextId context, const Join& join) const {
  auto& self = const_cast<State&>(*this);
  const LocationSet handles = self.locations_of(context, join.handle);
  Threads found;
  for (ThreadIndex i = 0; i < threads.size(); ++i) {
    if (threads[i].is_main || threads[i].merged) continue;
    const Spawn& spawn =
        *self.ops[contexts[threads[i].creator].function][threads[i].spawn_op].second->as<Spawn>();
    const LocationSet started = self.locations_of(threads[i].creator, spawn.handle);
    if (started.empty() || started != handles) continue;
    if (join.own_only && !starts(contexts[context].thread, i)) continue;
    found.insert(i);
    for (const ThreadIndex other : descendants[i]) {
      if (!context_lives[threads[i].root].started.contains(other)) found.insert(other);
    }
  }
  return found;
}

bool Program::State::starts(ThreadIndex thread, ThreadIndex other) const {
  return std::any_of(spawned.begin(), spawned.end(), [&](const auto& start) {
    const auto& [place, made] = start;
    return live[place.first] && contexts[place.first].thread == thread &&
           std::find(made.begin(), made.end(), other) != made.end();
  });
}

void Program::State::step(ContextId context, const Op& op, Lives& lives) const {
  if (op.as<Spawn>() != nullptr) {
    const auto made = spawned.find({context, op.id});
    if (made == spawned.end()) return;
    for (const ThreadIndex thread : made->second) {
      lives.started.insert(thread);
      lives.ended.erase(thread);
      for (const ThreadIndex other : descendants[thread]) {
        lives.started.insert(other);
        lives.ended.erase(other);
      }
    }
  } else if (const Join* join = op.as<Join>()) {
    end(lives, joined_by(context, *join));
  } else if (op.as<Call>() != nullptr) {
    const std::span<const ContextId> called = callees[context].of(op.id);
    if (called.empty()) return;
    Lives effect;
    for (const ContextId callee : called) {
      if (context_lives[callee].reached) merge(effect, context_lives[callee]);
    }
    then(lives, effect);
  }
}

// True if what the context does as a whole has changed.
bool Program::State::find_lives_of(ContextId context) {
  const Function& function = *contexts[context].function;
  std::vector<Lives>& entry = block_lives[context];
  entry.assign(function.blocks.size(), {});
  if (entry.empty()) return false;
  // A loop over handles joins all of them, also if it seems that it may not run; and so
  // does a join that is done only if it can be.
  std::map<std::pair<uint32_t, uint32_t>, Threads> on_edge;  // block and next
  for (const Block& block : function.blocks) {
    for (const Op& op : block.ops) {
      Threads joined;
      bool many = true;  // a loop does it for all of them
      if (const Join* join = op.as<Join>()) {
        joined = joined_by(context, *join);
        many = through_pointer_or_element(join->handle);
      } else if (op.as<Call>() != nullptr) {
        Lives effect;
        step(context, op, effect);
        joined = effect.ended;
      }
      if (joined.empty()) continue;
      for (const uint32_t decides : block.controlled_by) {
        const Block& branch = function.blocks[decides];
        if (branch.next.size() < 2 || !((branch.in_loop && many) || asks_joinable(branch)))
          continue;
        on_edge[{decides, branch.next[1]}].insert(joined.begin(), joined.end());
      }
    }
  }
  entry[0].reached = true;
  std::vector<uint32_t> work{0};
  Lives exit;
  while (!work.empty()) {
    const uint32_t number = work.back();
    work.pop_back();
    const Block& block = function.blocks[number];
    Lives lives = entry[number];
    for (const Op& op : block.ops) step(context, op, lives);
    for (const uint32_t next : block.next) {
      Lives after = lives;
      if (const auto joined = on_edge.find({number, next}); joined != on_edge.end()) {
        end(after, joined->second);
      }
      if (merge(entry[next], after)) work.push_back(next);
    }
    if (block.next.empty()) merge(exit, lives);
  }
  if (exit == context_lives[context]) return false;
  context_lives[context] = exit;
  return true;
}

void Program::State::find_lives() {
  const size_t count = contexts.size();
  block_lives.resize(count);
  alive_at_entry.assign(count, Bits(threads.size()));
  const std::vector<bool> busy = find_busy();
  context_lives.assign(count, {});
  for (ContextId id = 0; id < count; ++id) context_lives[id].reached = !busy[id];
  descendants.assign(threads.size(), {});
  for (ThreadIndex i = 0; i < threads.size(); ++i) {
    for (const Thread* up = &threads[i]; !up->is_main;) {
      const ThreadIndex creator = contexts[up->creator].thread;
      if (!descendants[creator].insert(i).second && creator == i) break;
      if (creator == i) break;
      up = &threads[creator];
    }
  }
  constexpr int kRounds = 20;
  bool changed = true;
  for (int round = 0; changed && round < kRounds; ++round) {
    changed = false;
    for (ContextId id = static_cast<ContextId>(count); id-- > 0;) {
      if (live[id] && busy[id]) changed = find_lives_of(id) || changed;
    }
  }
  find_alive_at_entry();
}

// Contexts that start or join threads, or call one that does. All others leave things as
// they are.
std::vector<bool> Program::State::find_busy() const {
  std::vector<std::vector<ContextId>> callers(contexts.size());
  std::vector<ContextId> work;
  for (ContextId id = 0; id < contexts.size(); ++id) {
    if (!live[id]) continue;
    for (const ContextId callee : callees[id].all()) callers[callee].push_back(id);
    const std::vector<Block>& blocks = contexts[id].function->blocks;
    if (std::any_of(blocks.begin(), blocks.end(), starts_or_joins)) work.push_back(id);
  }
  return reached_from(std::move(work), callers);
}

// From callers to callees: who lives when a context begins.
void Program::State::find_alive_at_entry() {
  std::vector<ContextId> work;
  for (ContextId id = 0; id < contexts.size(); ++id) {
    if (live[id]) work.push_back(id);
  }
  std::vector<bool> waiting(contexts.size(), true);
  while (!work.empty()) {
    const ContextId id = work.back();
    work.pop_back();
    waiting[id] = false;
    const std::vector<ContextId>& called = callees[id].all();
    Bits here;
    for (size_t i = 0; i < called.size(); ++i) {
      if (i == 0 || callees[id].op_of(i) != callees[id].op_of(i - 1)) {
        here = alive({id, callees[id].op_of(i)});
      }
      Bits both = alive_at_entry[called[i]];
      both |= here;
      if (both == alive_at_entry[called[i]]) continue;
      alive_at_entry[called[i]] = std::move(both);
      if (!waiting[called[i]]) work.push_back(called[i]);
      waiting[called[i]] = true;
    }
  }
}

// What is known of threads just before the op; block_lives has the context's blocks.
Lives Program::State::lives_at(const Place& place) const {
  const auto function = ops.find(contexts[place.context].function);
  const auto [block, op] = function->second.at(place.op);
  Lives lives = block_lives[place.context][block];
  for (const Op& before : function->first->blocks[block].ops) {
    if (&before == op) break;
    step(place.context, before, lives);
  }
  return lives;
}

Bits Program::State::alive(const Place& place) const {
  Bits found = alive_at_entry[place.context];
  if (block_lives[place.context].empty()) return found;
  const Lives lives = lives_at(place);
  for (const ThreadIndex thread : lives.ended) found.reset(thread);
  for (const ThreadIndex thread : lives.started) found.set(thread);
  return found;
}

// A thread that is started again and again, but has ended each time before that, is one.
void Program::State::find_alone() {
  std::vector<size_t> places(threads.size());  // that start it
  for (const auto& [place, made] : spawned) {
    for (const ThreadIndex thread : made) places[thread] += live[place.first] ? 1 : 0;
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (ThreadIndex i = 0; i < threads.size(); ++i) {
      if (!threads[i].many || places[i] != 1 || !is_alone(i)) continue;
      threads[i].many = false;
      changed = true;
    }
  }
}

bool Program::State::is_alone(ThreadIndex i) const {
  const Thread& thread = threads[i];
  if (thread.is_main || thread.merged) return false;
  const Context& creator = contexts[thread.creator];
  const Spawn& spawn = *ops.at(creator.function).at(thread.spawn_op).second->as<Spawn>();
  if (spawn.many || threads[creator.thread].many) return false;
  // Of several that one handle stands for, a join may mean another one.
  const LocationSet handles = const_cast<State&>(*this).locations_of(thread.creator, spawn.handle);
  if (handles.size() != 1 || !is_variable(handles[0])) return false;
  const Thread& parent = threads[creator.thread];
  if (!parent.is_main && context_lives[parent.root].started.contains(i)) return false;
  return !alive({thread.creator, thread.spawn_op}).has(i);
}

// A variable or a part of one: no element, no allocation.
bool Program::State::is_variable(LocationId location) const {
  const Location* at = &locations.at(location);
  for (; at->kind == Location::Kind::inside; at = &locations.at(at->base)) {
    if (at->step.kind == Step::Kind::element) return false;
  }
  return at->kind == Location::Kind::global || at->kind == Location::Kind::local;
}

// Threads that do not descend from each other overlap if one lives when the other
// is started.
void Program::State::find_overlaps() {
  const auto both = [&](ThreadIndex a, ThreadIndex b) {
    const bool fresh = overlap.insert({a, b}).second;
    return overlap.insert({b, a}).second || fresh;
  };
  for (const auto& [place, made] : spawned) {
    if (!live[place.first]) continue;
    for (const ThreadIndex thread : made) {
      const Bits others = alive({place.first, place.second});
      for (ThreadIndex other = 0; other < threads.size(); ++other) {
        if (others.has(other)) both(thread, other);
      }
      if (threads[thread].many) both(thread, thread);
    }
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (const auto& [a, b] : std::set<std::pair<ThreadIndex, ThreadIndex>>(overlap)) {
      for (const ThreadIndex child : descendants[b]) changed = both(a, child) || changed;
    }
  }
}

}  // namespace foretrace::lint
