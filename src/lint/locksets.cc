#include "lint/locksets.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/sort_once.h"
#include "lint/substitute.h"

namespace foretrace::lint {
namespace {

using Effects = std::unordered_map<Name, LockEffect>;
using State = std::vector<Held>;  // sorted by lock

bool same_lock(const Held& a, const Held& b) {
  return a.lock == b.lock && a.shared == b.shared && a.kind == b.kind;
}

void take(State& state, const Held& held) {
  const auto known = std::find_if(state.begin(), state.end(),
                                  [&](const Held& other) { return other.lock == held.lock; });
  if (known != state.end() && !held.shared) known->shared = false;
  // Held twice: it takes two releases. The region is the outer one.
  state.push_back(held);
  std::sort(state.begin(), state.end());
}

// What was given back; none if it was not held.
std::optional<Held> give(State& state, const Path& lock) {
  auto last = state.end();
  for (auto held = state.begin(); held != state.end(); ++held) {
    if (!(held->lock == lock)) continue;
    // What the function has taken itself goes before what its callers have.
    if (last == state.end() || held->acquired_by < kIfCaller) last = held;
  }
  if (last == state.end()) return std::nullopt;
  Held given = *last;
  state.erase(last);
  return given;
}

bool holds(const State& state, const Path& lock) {
  return std::any_of(state.begin(), state.end(),
                     [&](const Held& held) { return held.lock == lock; });
}

// The mutex of a guard that the function has made, by its own name; of one that a call has
// returned, what that came back with.
Path without_guard(const Path& path, const Function& function) {
  const auto guard = std::find_if(path.steps.begin(), path.steps.end(), [](const Step& step) {
    return step.kind == Step::Kind::field && step.name == Name(kMutexOfGuard);
  });
  if (guard == path.steps.end() || std::next(guard) == path.steps.end()) return path;
  if (path.root == Path::Root::result) {
    const auto taken =
        std::find_if(function.taken.begin(), function.taken.end(),
                     [&](const Held& held) { return held.acquired_by == path.index; });
    return taken != function.taken.end() ? taken->lock : path;
  }
  const Path field{path.root, path.index, path.name, {path.steps.begin(), std::next(guard)}};
  for (const Binding& binding : function.bindings) {
    if (binding.value.kind == Value::Kind::address_of && binding.target == field) {
      return binding.value.path;
    }
  }
  return path;
}

class FunctionLocks {
 public:
  FunctionLocks(Function& function, const Effects& effects)
      : function_(function), effects_(effects), entry_(function.blocks.size()) {}

  LockEffect run() {
    if (function_.blocks.empty()) return {};
    flow(function_.required);
    tidy(lost_);
    State begin = function_.required;
    for (const Path& lock : lost_) {
      if (!holds(begin, lock)) take(begin, {lock, false, LockKind::mutex, kIfCaller, true});
    }
    if (begin.size() != function_.required.size()) {
      // Once more, now with what callers may hold.
      entry_.assign(function_.blocks.size(), std::nullopt);
      exits_.clear();
      flow(begin);
    }
    return effect();
  }

 private:
  void flow(const State& begin) {
    entry_[0] = begin;
    std::vector<uint32_t> work{0};
    while (!work.empty()) {
      const uint32_t block = work.back();
      work.pop_back();
      State state = *entry_[block];
      for (Op& op : function_.blocks[block].ops) step(op, state);
      for (const uint32_t next : function_.blocks[block].next) {
        if (merge(entry_[next], state)) work.push_back(next);
      }
      if (function_.blocks[block].next.empty()) exits_[block] = state;
    }
  }

  // Sets op.held, then does what the op does.
  void step(Op& op, State& state) {
    op.held = state;
    if (Acquire* acquire = op.as<Acquire>()) {
      acquire->lock = own_name(acquire->lock);
      if (acquire->by_wait && !waited_) return;  // a caller's lock, see the second time
      taken_.insert(acquire->lock);
      take(state, {acquire->lock, acquire->shared, acquire->kind, op.id});
    } else if (Release* release = op.as<Release>()) {
      release->lock = own_name(release->lock);
      const bool held = give_back(state, release->lock).has_value();
      waited_ = release->by_wait && held;
      if (!held && !release->if_held && !taken_.contains(release->lock)) {
        // Not one that the function has taken on some other way: if (…) unlock.
        lost_.push_back(release->lock);
      }
    } else if (const Call* call = op.as<Call>()) {
      apply(*call, op.id, state);
    }
  }

  Path own_name(const Path& lock) const {
    return lock.root == Path::Root::result ? without_guard(lock, function_) : lock;
  }

  std::optional<Held> give_back(State& state, const Path& lock) {
    std::optional<Held> given = give(state, lock);
    if (given && given->acquired_by >= kIfCaller) lost_.push_back(lock);
    return given;
  }

  void apply(const Call& call, uint32_t id, State& state) {
    std::erase_if(function_.given_back, [&](const auto& known) { return known.first == id; });
    std::erase_if(function_.taken, [&](const Held& known) { return known.acquired_by == id; });
    const auto effect = effects_.find(call.callee);
    if (effect == effects_.end() || call.is_virtual) return;
    const Given given = given_by(call);
    const auto in_own_words = [&](const Path& path) -> std::optional<Path> {
      const std::optional<Path> lock = to_caller(path, given);
      return lock ? std::optional(without_guard(*lock, function_)) : std::nullopt;
    };
    std::set<Path> not_held;
    std::set<Path> callers;
    for (const Path& path : effect->second.lost) {
      const std::optional<Path> lock = in_own_words(path);
      if (!lock) continue;
      const std::optional<Held> before = give_back(state, *lock);
      if (before && before->if_caller) callers.insert(path);
      if (!before) {
        lost_.push_back(*lock);
        not_held.insert(path);
      } else if (!holds(state, *lock)) {
        function_.given_back.emplace_back(id, *lock);
      }
    }
    for (const Held& held : effect->second.gained) {
      // What it has only given back and taken again is held if it was.
      if (not_held.contains(held.lock)) continue;
      if (const std::optional<Path> lock = in_own_words(held.lock)) {
        function_.taken.push_back({*lock, held.shared, held.kind, id, callers.contains(held.lock)});
        take(state, function_.taken.back());
      }
    }
  }

  // What is held on all ways. True if it became less.
  static bool merge(std::optional<State>& known, const State& state) {
    if (!known) {
      known = state;
      return true;
    }
    State both;
    for (const Held& held : *known) {
      const auto other = std::find_if(state.begin(), state.end(),
                                      [&](const Held& h) { return same_lock(h, held); });
      if (other == state.end()) continue;
      both.push_back(held);
      both.back().acquired_by = std::min(held.acquired_by, other->acquired_by);
      both.back().if_caller = held.if_caller || other->if_caller;
    }
    if (both == *known) return false;
    known = std::move(both);
    return true;
  }

  LockEffect effect() {
    LockEffect effect;
    std::optional<State> at_exit;
    for (const auto& [block, state] : exits_) merge(at_exit, state);
    if (at_exit) {
      std::copy_if(at_exit->begin(), at_exit->end(), std::back_inserter(effect.gained),
                   [](const Held& held) { return held.acquired_by < kIfCaller; });
      // A guard that is returned has it once, and its variable had it too.
      effect.gained.erase(std::unique(effect.gained.begin(), effect.gained.end(), same_lock),
                          effect.gained.end());
    }
    tidy(lost_);
    effect.lost = std::move(lost_);
    return effect;
  }

  static void tidy(std::vector<Path>& paths) { sort_once(paths); }

  Function& function_;
  const Effects& effects_;
  std::vector<std::optional<State>> entry_;
  std::unordered_map<uint32_t, State> exits_;
  std::vector<Path> lost_;
  std::set<Path> taken_;
  bool waited_ = false;
};

}  // namespace

void fill_locksets(const std::unordered_map<Name, Function*>& functions) {
  Effects effects;
  // Wrappers of wrappers need a round each; recursion that never settles does not
  // take locks in a way that means anything.
  constexpr int kRounds = 8;
  bool changed = true;
  for (int round = 0; changed && round < kRounds; ++round) {
    changed = false;
    for (const auto& [usr, function] : functions) {
      LockEffect effect = FunctionLocks(*function, effects).run();
      if (effect.gained.empty() && effect.lost.empty() && !effects.contains(usr)) continue;
      LockEffect& known = effects[usr];
      if (known == effect) continue;
      known = std::move(effect);
      changed = true;
    }
  }
}

}  // namespace foretrace::lint
