// OpenMP's teams: what barriers keep apart, and tasks. The threads of a team leave each
// barrier together, so two ops can be done at the same time only if some barrier, or the
// beginning, leads to both without another one on the way. A task lives from where it is made
// to a wait for it by the same thread, or to the next barrier.
#include <algorithm>

#include "lint/program_state.h"

namespace foretrace::lint {

namespace {

bool has_barrier(const Function& function) {
  return std::any_of(function.blocks.begin(), function.blocks.end(), [](const Block& block) {
    return std::any_of(block.ops.begin(), block.ops.end(),
                       [](const Op& op) { return op.as<Barrier>() != nullptr; });
  });
}

}  // namespace

// Walks from each barrier of a team, and from its beginning, to the next ones.
class Program::State::Phases {
 public:
  Phases(const State& state, ThreadIndex team) : state_(state), team_(team) {}

  std::map<Place, Bits> run() {
    find_contexts();
    std::vector<Place> barriers;
    for (const ContextId id : contexts_) {
      for (const Block& block : state_.contexts[id].function->blocks) {
        for (const Op& op : block.ops) {
          if (op.as<Barrier>() != nullptr) barriers.push_back({id, op.id});
        }
      }
    }
    if (barriers.empty()) return {};
    find_passable();
    size_ = barriers.size() + 1;
    walk({{state_.threads[team_].root, 0, 0, true}}, 0);
    for (size_t i = 0; i < barriers.size(); ++i) walk({behind(barriers[i])}, i + 1);
    return std::move(phases_);
  }

 private:
  // Just before an op, or at the end of a block. `returns`: where the function ends, the walk
  // goes on in its callers.
  struct Spot {
    ContextId context = 0;
    uint32_t block = 0;
    uint32_t index = 0;
    bool returns = false;
    friend auto operator<=>(const Spot&, const Spot&) = default;
  };

  void find_contexts() {
    std::vector<ContextId> work = {state_.threads[team_].root};
    while (!work.empty()) {
      const ContextId id = work.back();
      work.pop_back();
      if (!contexts_.insert(id).second) continue;
      const std::vector<ContextId>& called = state_.callees[id].all();
      work.insert(work.end(), called.begin(), called.end());
    }
  }

  // Contexts that can be gone through without a barrier.
  void find_passable() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const ContextId id : contexts_) {
        if (!passable_.contains(id) && has_way_through(id)) {
          passable_.insert(id);
          changed = true;
        }
      }
    }
  }

  bool has_way_through(ContextId id) const {
    const std::vector<Block>& blocks = state_.contexts[id].function->blocks;
    std::set<uint32_t> seen;
    std::vector<uint32_t> work;
    if (blocks.empty()) return true;
    work.push_back(0);
    while (!work.empty()) {
      const uint32_t number = work.back();
      work.pop_back();
      if (!seen.insert(number).second) continue;
      const Block& block = blocks[number];
      if (!std::all_of(block.ops.begin(), block.ops.end(),
                       [&](const Op& op) { return lets_pass(id, op); })) {
        continue;
      }
      if (block.next.empty()) return true;
      work.insert(work.end(), block.next.begin(), block.next.end());
    }
    return false;
  }

  bool lets_pass(ContextId id, const Op& op) const {
    if (op.as<Barrier>() != nullptr) return false;
    if (op.as<Call>() == nullptr) return true;
    const std::span<const ContextId> called = state_.callees[id].of(op.id);
    return called.empty() || std::any_of(called.begin(), called.end(), [&](ContextId callee) {
             return passable_.contains(callee);
           });
  }

  void walk(std::vector<Spot> work, size_t phase) {
    std::set<Spot> seen;
    while (!work.empty()) {
      const Spot spot = work.back();
      work.pop_back();
      if (!seen.insert(spot).second) continue;
      const std::vector<Block>& blocks = state_.contexts[spot.context].function->blocks;
      if (blocks.empty()) continue;
      const Block& block = blocks[spot.block];
      if (spot.index == block.ops.size()) {
        for (const uint32_t next : block.next) {
          work.push_back({spot.context, next, 0, spot.returns});
        }
        if (block.next.empty() && spot.returns) go_back(spot.context, work);
        continue;
      }
      const Op& op = block.ops[spot.index];
      phases_.try_emplace({spot.context, op.id}, size_).first->second.set(phase);
      for (const ContextId callee : state_.callees[spot.context].of(op.id)) {
        work.push_back({callee, 0, 0, false});
      }
      if (lets_pass(spot.context, op)) {
        work.push_back({spot.context, spot.block, spot.index + 1, spot.returns});
      }
    }
  }

  void go_back(ContextId context, std::vector<Spot>& work) const {
    for (const Place& call : state_.calls_of[context]) work.push_back(behind(call));
  }

  Spot behind(const Place& place) const {
    const auto* const function = state_.contexts[place.context].function;
    const auto& [block, op] = state_.ops.at(function).at(place.op);
    const auto index = static_cast<uint32_t>(op - function->blocks[block].ops.data());
    return {place.context, block, index + 1, true};
  }

  const State& state_;
  const ThreadIndex team_;
  std::set<ContextId> contexts_;
  std::set<ContextId> passable_;
  size_t size_ = 0;
  std::map<Place, Bits> phases_;
};

bool Program::State::is_started_as(ThreadIndex thread, const char* how) const {
  if (threads[thread].is_main) return false;
  const Place start{threads[thread].creator, threads[thread].spawn_op};
  const Op& op = *ops.at(contexts[start.context].function).at(start.op).second;
  return op.as<Spawn>()->how == Name(how);
}

void Program::State::find_phases() {
  bool any = false;
  for (const auto& [usr, function] : functions) any = any || has_barrier(*function);
  teams.assign(threads.size(), false);
  phases.resize(threads.size());
  for (ThreadIndex i = 0; i < threads.size(); ++i) {
    if (!is_started_as(i, kTeam) || threads[i].merged) continue;
    // Of several teams at a time each has its own barriers.
    bool is_one = true;
    for (ThreadIndex up = contexts[threads[i].creator].thread; !threads[up].is_main;
         up = contexts[threads[up].creator].thread) {
      is_one = is_one && !threads[up].many && up != i;
      if (!is_one) break;
    }
    teams[i] = is_one;
    if (is_one && any) phases[i] = Phases(*this, i).run();
  }
}

// The place itself, then where its thread was started, where that one's was, and so on.
std::vector<Place> Program::State::starts_of(const Place& place) const {
  std::vector<Place> found = {place};
  std::set<ThreadIndex> seen;
  while (true) {
    const ThreadIndex index = contexts[found.back().context].thread;
    if (threads[index].is_main || !seen.insert(index).second) return found;
    found.push_back({threads[index].creator, threads[index].spawn_op});
  }
}

bool Program::State::meet(ThreadIndex team, const Place& a, const Place& b) const {
  const std::map<Place, Bits>& known = phases[team];
  const auto one = known.find(a);
  const auto other = known.find(b);
  if (one == known.end() || other == known.end()) return true;
  Bits both = one->second;
  both &= other->second;
  return both.any();
}

// Whether one thread of the team does both: they are in one `single`.
bool Program::State::done_by_one(const Place& a, const Place& b) {
  const auto once = [&](const Place& place) {
    std::set<LocationId> found;
    const Op& op = *ops.at(contexts[place.context].function).at(place.op).second;
    for (const HeldLock& held : locks_at(place.context, op)) {
      if (held.kind == LockKind::once) found.insert(held.lock);
    }
    return found;
  };
  const std::set<LocationId> other = once(b);
  const std::set<LocationId> one = once(a);
  return std::any_of(one.begin(), one.end(), [&](LocationId lock) { return other.contains(lock); });
}

std::optional<bool> Program::State::parallel_in_team(const Place& a, const Place& b) {
  const std::vector<Place> ways_a = starts_of(a);
  const std::vector<Place> ways_b = starts_of(b);
  const auto thread_of = [&](const Place& place) { return contexts[place.context].thread; };
  for (size_t i = 0; i < ways_a.size(); ++i) {
    const ThreadIndex team = thread_of(ways_a[i]);
    if (!teams[team]) continue;
    const auto same = std::find_if(ways_b.begin(), ways_b.end(),
                                   [&](const Place& place) { return thread_of(place) == team; });
    if (same == ways_b.end()) continue;
    const Place& in_a = ways_a[i];
    const Place& in_b = *same;
    const bool direct_a = i == 0;
    const bool direct_b = same == ways_b.begin();
    if (direct_a && direct_b) return meet(team, a, b);
    const ThreadIndex task_a = direct_a ? team : thread_of(ways_a[i - 1]);
    const ThreadIndex task_b = direct_b ? team : thread_of(*(same - 1));
    if (task_a == task_b) return std::nullopt;
    if ((!direct_a && !is_started_as(task_a, kTask)) ||
        (!direct_b && !is_started_as(task_b, kTask))) {
      return std::nullopt;
    }
    if (!done_by_one(in_a, in_b)) return meet(team, in_a, in_b);
    if (direct_a) return alive(a).has(thread_of(b));
    if (direct_b) return alive(b).has(thread_of(a));
    return alive(in_a).has(task_b) || alive(in_b).has(task_a);
  }
  return std::nullopt;
}

}  // namespace foretrace::lint
