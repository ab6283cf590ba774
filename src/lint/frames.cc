// Objects on stacks that threads are given by reference. Each call of a function has its own:
// two accesses can only meet if the object is of the same call, and one of the threads that this
// call has started lives while the other access is done.
#include <algorithm>

#include "lint/program_state.h"

namespace foretrace::lint {

// Follows an access to the variable on a stack that it is.
class Program::Frames {
 public:
  explicit Frames(const Program& program) : program_(program) {}

  // The variable, and the op of its function by which the access comes about: itself, a call,
  // or the start of a thread.
  struct Variable {
    const Function* owner = nullptr;
    uint32_t local = 0;
    ContextId context = 0;
    uint32_t op = 0;
    std::optional<ThreadIndex> started;  // there, that was given it
  };

  // By every way that leads to the access; none if it is not known by one of them.
  std::vector<Variable> variables(const Place& place, const Path& path) {
    return follow(place, path, std::nullopt, 0) ? std::move(found_) : std::vector<Variable>();
  }

 private:
  bool follow(const Place& place, const Path& path, std::optional<ThreadIndex> started, int depth) {
    constexpr int kMaxDepth = 30;
    const Context& context = program_.context(place.context);
    const bool is_pointer = !path.steps.empty() && path.steps[0].kind == Step::Kind::deref;
    if (path.root == Path::Root::local && !is_pointer) {
      if (has_deref(path)) return false;
      found_.push_back({context.function, path.index, place.context, place.op, started});
      return true;
    }
    if (!is_pointer || depth > kMaxDepth) return false;
    if (depth > 0 && !seen_.insert({place.context, path}).second) return true;
    if (context.parent != place.context) {
      const std::vector<Place>& calls = program_.callers(place.context);
      return !calls.empty() && std::all_of(calls.begin(), calls.end(), [&](const Place& call) {
        const auto outer = to_caller(path, given_by(*program_.op(call).as<Call>()));
        return outer && follow(call, *outer, started, depth + 1);
      });
    }
    const Thread& thread = program_.threads()[context.thread];
    if (thread.is_main || thread.merged) return false;
    const Place start{thread.creator, thread.spawn_op};
    const auto outer = through_start(path, *program_.op(start).as<Spawn>());
    return outer && follow(start, *outer, context.thread, depth + 1);
  }

  static bool has_deref(const Path& path) {
    return std::any_of(path.steps.begin(), path.steps.end(),
                       [](const Step& step) { return step.kind == Step::Kind::deref; });
  }

  static std::optional<Path> through_start(const Path& path, const Spawn& spawn) {
    if (path.root != Path::Root::capture) return to_caller(path, given_by(spawn));
    if (path.index >= spawn.entry.captures.size()) return std::nullopt;
    const Value& value = spawn.entry.captures[path.index];
    if (value.kind != Value::Kind::address_of) return std::nullopt;
    Path made = value.path;
    made.steps.insert(made.steps.end(), path.steps.begin() + 1, path.steps.end());
    return made;
  }

  const Program& program_;
  std::vector<Variable> found_;
  std::set<std::pair<ContextId, Path>> seen_;
};

// Threads that a context has started, itself or by calls, and that may live at the op.
bool Program::State::started_here(const Place& place, ThreadIndex thread) const {
  return !block_lives[place.context].empty() && lives_at(place).started.contains(thread);
}

// The places that start the thread; of a variable that no thread was given, or that was passed on
// by a call, that one.
std::vector<Place> Program::State::starts_with(const Place& place,
                                               std::optional<ThreadIndex> started) const {
  const Function* const owner = contexts[place.context].function;
  if (!started || ops.at(owner).at(place.op).second->as<Spawn>() == nullptr) return {place};
  std::vector<Place> found;
  for (const auto& [start, made] : spawned) {
    if (live[start.first] && start.second == place.op && contexts[start.first].function == owner &&
        std::find(made.begin(), made.end(), *started) != made.end()) {
      found.push_back({start.first, start.second});
    }
  }
  return found;
}

bool Program::apart_on_stacks(const Place& a, const Path& path_a, const Place& b,
                              const Path& path_b) const {
  const auto all_a = Frames(*this).variables(a, path_a);
  const auto all_b = all_a.empty() ? all_a : Frames(*this).variables(b, path_b);
  const ThreadIndex thread_a = context(a.context).thread;
  const ThreadIndex thread_b = context(b.context).thread;
  // Whether both may have the variable of one call, at the same time.
  const auto meet = [&](const Frames::Variable& one, const Place& by_a,
                        const Frames::Variable& other, const Place& by_b) {
    if (by_a.context != by_b.context) return false;
    if (by_a.op == by_b.op) {
      const Spawn* const spawn = op(by_a).as<Spawn>();
      // Else it is a call, or the threads have started others: not looked at here.
      if (spawn == nullptr || spawn->many || one.started != thread_a || other.started != thread_b) {
        return true;
      }
      return in_loop(by_a) &&
             (state_->started_here(by_a, thread_a) || state_->started_here(by_a, thread_b));
    }
    return (one.started && state_->started_here(by_b, thread_a)) ||
           (other.started && state_->started_here(by_a, thread_b));
  };
  for (const Frames::Variable& one : all_a) {
    for (const Frames::Variable& other : all_b) {
      if (one.owner != other.owner || one.local != other.local) return false;
      if (!one.started && !other.started) return false;
      for (const Place& by_a : state_->starts_with({one.context, one.op}, one.started)) {
        for (const Place& by_b : state_->starts_with({other.context, other.op}, other.started)) {
          if (meet(one, by_a, other, by_b)) return false;
        }
      }
    }
  }
  return !all_a.empty() && !all_b.empty();
}

}  // namespace foretrace::lint
