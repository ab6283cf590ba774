// Objects that a thread has for itself: what its functions have on their stacks or have
// allocated, and what the loop that started it gave to it alone.
#include <algorithm>
#include <set>
#include <tuple>

#include "lint/program_state.h"
#include "lint/taint.h"

namespace foretrace::lint {
namespace {

// Whether the handle of a thread is a field of the object that an access of the thread
// starts from: then each such object has one thread, or a second start would end the
// program.
bool handle_is_in(const Path& handle, const Path& access) {
  const auto deref = std::find_if(access.steps.begin(), access.steps.end(),
                                  [](const Step& step) { return step.kind == Step::Kind::deref; });
  if (deref == access.steps.end() || handle.root != access.root || handle.index != access.index ||
      handle.name != access.name) {
    return false;
  }
  const auto object = static_cast<size_t>(deref - access.steps.begin()) + 1;
  return handle.steps.size() > object &&
         std::equal(access.steps.begin(), deref + 1, handle.steps.begin()) &&
         std::all_of(handle.steps.begin() + static_cast<std::ptrdiff_t>(object), handle.steps.end(),
                     [](const Step& step) { return step.kind == Step::Kind::field; });
}

// Whether a local pointer has another object each time: an element of a container, or
// what is allocated in a loop.
bool varies_in_loop(const Function& function, uint32_t local, int depth = 0) {
  constexpr int kMaxDepth = 4;  // pointers and iterators that come from each other
  bool any = false;
  for (const Binding& binding : function.bindings) {
    if (binding.target.root != Path::Root::local || binding.target.index != local ||
        !binding.target.steps.empty()) {
      continue;
    }
    const Path& from = binding.value.path;
    const bool element = std::any_of(from.steps.begin(), from.steps.end(), [](const Step& step) {
      return step.kind == Step::Kind::element;
    });
    const bool allocated = from.root == Path::Root::heap &&
                           function.blocks[function.allocations[from.index].block].in_loop;
    const bool follows = from.root == Path::Root::local && depth < kMaxDepth &&
                         varies_in_loop(function, from.index, depth + 1);
    if (!element && !allocated && !follows) return false;
    any = true;
  }
  return any;
}

size_t derefs_of(const Path& path) {
  return static_cast<size_t>(
      std::count_if(path.steps.begin(), path.steps.end(),
                    [](const Step& step) { return step.kind == Step::Kind::deref; }));
}

// The object of a path that begins with a deref, if the pointer has this value.
std::optional<Path> behind(const Value& pointer, const Path& path) {
  const bool is_address = pointer.kind == Value::Kind::address_of;
  if ((!is_address && pointer.kind != Value::Kind::value_of) || !pointer.path.known()) {
    return std::nullopt;
  }
  Path object = pointer.path;
  object.steps.insert(object.steps.end(), path.steps.begin() + (is_address ? 1 : 0),
                      path.steps.end());
  return object;
}

// What a function puts into a variable or a field, by its own name for it.
std::vector<const Value*> put_into(const Function& function, const Path& target) {
  std::vector<const Value*> found;
  for (const Binding& binding : function.bindings) {
    if (binding.target == target) found.push_back(&binding.value);
  }
  return found;
}

}  // namespace

class Program::OwnObjects {
 public:
  explicit OwnObjects(const Program& program) : program_(program) {}

  // Whether the object is on the stack of one of the functions that led here, or was
  // allocated by one of them, or by a function that returned it. All others are told
  // nothing: what another thread gets at by a pointer is not looked at here.
  bool in_frame(ContextId id, const Path& path, int depth = 0) const {
    constexpr int kMaxDepth = 30;
    if (depth > kMaxDepth) return false;
    const Function& function = *program_.context(id).function;
    const bool is_pointer = !path.steps.empty() && path.steps[0].kind == Step::Kind::deref;
    switch (path.root) {
      case Path::Root::heap:
        return derefs_of(path) == 0;
      case Path::Root::local:
        if (!is_pointer) return derefs_of(path) == 0;
        return all_of_values(put_into(function, {path.root, path.index, path.name, {}}), path,
                             [&](const Path& object) { return in_frame(id, object, depth + 1); });
      case Path::Root::result:
        return is_pointer && derefs_of(path) == 1 && is_fresh_result(id, path.index, depth + 1);
      case Path::Root::self:
      case Path::Root::parameter:
        break;
      default:
        return false;
    }
    const Context& context = program_.context(id);
    if (context.parent == id) return false;
    const Call* const call = program_.op({context.parent, context.call_op}).as<Call>();
    const std::optional<Path> outer = to_caller(path, given_by(*call));
    return outer && in_frame(context.parent, *outer, depth + 1);
  }

  // The same by all ways that lead here, and of objects whose address never leaves.
  bool stays_in_frame(ContextId id, const Path& path) const {
    Seen seen;
    return stays_in_frame(id, path, seen, 0);
  }

  // Whether the loop that started the thread gave it the object, and no other thread.
  Owned by_argument(ContextId id, const Path& path) const {
    std::optional<Path> at = to_parameter(id, path);
    while (at && program_.context(id).parent != id) {
      const Context& context = program_.context(id);
      const Call* const call = program_.op({context.parent, context.call_op}).as<Call>();
      at = to_caller(*at, given_by(*call));
      id = context.parent;
      if (at) at = to_parameter(id, *at);
    }
    const Thread& thread = program_.threads()[program_.context(id).thread];
    if (!at || thread.is_main || derefs_of(*at) == 0) return {};
    const Spawn& spawn = *program_.op({thread.creator, thread.spawn_op}).as<Spawn>();
    const size_t pointers = derefs_of(*at);
    Place start{thread.creator, thread.spawn_op};
    Given given = given_by(spawn);
    // The function that starts it may have been given it.
    while (true) {
      const Value* const value = given_for(*at, given);
      at = to_caller(*at, given);
      if (!at) return {};
      if (pointers == 1 && handle_is_in(spawn.handle, *at)) return {Ownership::argument, {}, {}};
      const bool another = value->varies && program_.in_loop(start);
      if (another || is_one_of_many(start.context, value->path)) {
        if (pointers == 1) return {Ownership::argument, start, referred(*value)};
        const bool is_own = pointers == 2 && has_its_own(start.context, *at);
        return {is_own ? Ownership::allocation : Ownership::none, {}, {}};
      }
      const Context& context = program_.context(start.context);
      if (context.parent == start.context) return {};
      start = {context.parent, context.call_op};
      given = given_by(*program_.op(start).as<Call>());
    }
  }

 private:
  using Pointer = std::tuple<ContextId, Path::Root, uint32_t>;  // a parameter, or `this`
  using Seen = std::set<Pointer>;

  bool stays_in_frame(ContextId id, const Path& path, Seen& seen, int depth) const {
    constexpr int kMaxPointers = 4;  // local ones that have each other's values
    if (depth > kMaxPointers) return false;
    State& state = *program_.state_;
    const Function& function = *program_.context(id).function;
    const bool is_pointer = !path.steps.empty() && path.steps[0].kind == Step::Kind::deref;
    if (derefs_of(path) != (is_pointer ? 1 : 0)) return false;
    switch (path.root) {
      case Path::Root::heap:
        return !is_pointer && !state.leaks->leaves(function, path.root, path.index);
      case Path::Root::local:
        if (!is_pointer) return !state.leaks->leaves(function, path.root, path.index);
        return all_of_values(
            put_into(function, {path.root, path.index, path.name, {}}), path,
            [&](const Path& object) { return stays_in_frame(id, object, seen, depth + 1); });
      case Path::Root::self:
      case Path::Root::parameter:
        return is_pointer && is_given_own({id, path.root, path.index}, seen);
      default:
        return false;
    }
  }

  // Whether all callers give it one of their own. In a recursion, what was asked already is
  // left to the one who asks.
  bool is_given_own(const Pointer& given, Seen& seen) const {
    State& state = *program_.state_;
    if (const auto known = state.own_parameters.find(given); known != state.own_parameters.end()) {
      return known->second;
    }
    const bool is_first = seen.empty();
    if (!seen.insert(given).second) return true;
    const auto& [id, root, index] = given;
    const Path parameter{root, index, {}, {{Step::Kind::deref, {}}}};
    const std::vector<Place>& calls = state.calls_of[id];
    const bool own = !calls.empty() && std::all_of(calls.begin(), calls.end(), [&](Place at) {
      const std::optional<Path> outer = to_caller(parameter, given_by(*program_.op(at).as<Call>()));
      return outer && stays_in_frame(at.context, *outer, seen, 0);
    });
    if (!own) state.own_parameters[given] = false;
    // All that was asked on the way had to be so.
    if (own && is_first) {
      for (const Pointer& one : seen) state.own_parameters[one] = true;
    }
    return own;
  }

  template <typename Is>
  static bool all_of_values(const std::vector<const Value*>& values, const Path& path,
                            const Is& is) {
    return !values.empty() && std::all_of(values.begin(), values.end(), [&](const Value* value) {
      const std::optional<Path> object = behind(*value, path);
      return object && is(*object);
    });
  }

  // A function that allocates what it returns.
  bool is_fresh_result(ContextId id, uint32_t call, int depth) const {
    const std::span<const ContextId> callees = program_.callees({id, call});
    return !callees.empty() && std::all_of(callees.begin(), callees.end(), [&](ContextId callee) {
      return returns_fresh(callee, depth);
    });
  }
  bool returns_fresh(ContextId id, int depth) const {
    static const Path kObject{Path::Root::none, 0, {}, {{Step::Kind::deref, {}}}};
    std::vector<const Value*> values;
    for (const Value& value : program_.context(id).function->returns) values.push_back(&value);
    return all_of_values(values, kObject, [&](const Path& object) {
      return (object.root == Path::Root::heap || object.root == Path::Root::result ||
              (object.root == Path::Root::local && derefs_of(object) == 1)) &&
             in_frame(id, object, depth + 1);
    });
  }

  // `thread->stats` of `State* thread = arg->thread` is `arg->thread->stats`.
  std::optional<Path> to_parameter(ContextId id, Path path) const {
    const Function& function = *program_.context(id).function;
    constexpr int kMaxPointers = 4;
    for (int i = 0; i < kMaxPointers && path.root == Path::Root::local; ++i) {
      if (path.steps.empty() || path.steps[0].kind != Step::Kind::deref) return std::nullopt;
      const auto values = put_into(function, {path.root, path.index, path.name, {}});
      if (values.size() != 1) return std::nullopt;
      const std::optional<Path> object = behind(*values[0], path);
      if (!object) return std::nullopt;
      path = *object;
    }
    if (path.root != Path::Root::parameter && path.root != Path::Root::self) return std::nullopt;
    return path;
  }

  // Another element of an array, or another allocation, in each round of the creator's loop.
  bool is_one_of_many(ContextId creator, const Path& path) const {
    const Function& function = *program_.context(creator).function;
    if (path.root == Path::Root::heap) {
      return function.blocks[function.allocations[path.index].block].in_loop;
    }
    if (path.root == Path::Root::local && varies_in_loop(function, path.index)) return true;
    // Which element a constant says is the same one in each round.
    return std::any_of(path.steps.begin(), path.steps.end(), [](const Step& step) {
      return step.kind == Step::Kind::element && !is_constant(step.index);
    });
  }

  // Whether the pointer in such an object has a new object in each round: nothing but an
  // allocation in the creator's loop was ever put there.
  bool has_its_own(ContextId creator, const Path& path) const {
    Path cell = path;
    while (cell.steps.back().kind != Step::Kind::deref) cell.steps.pop_back();
    cell.steps.pop_back();
    const Function& function = *program_.context(creator).function;
    const std::vector<const Value*> values = put_into(function, cell);
    if (values.size() != 1 || values[0]->kind != Value::Kind::address_of) return false;
    const Path& made = values[0]->path;
    if (made.root != Path::Root::heap || !made.steps.empty() ||
        !function.blocks[function.allocations[made.index].block].in_loop) {
      return false;
    }
    cell.steps.push_back({Step::Kind::deref, {}});
    return program_.locations(creator, cell) == program_.locations(creator, made);
  }

  const Program& program_;
};

bool Program::own(const Place& place, const Path& path) const {
  // What a function returns by value is a copy, and nobody else's.
  const bool is_copy = path.root == Path::Root::result &&
                       (path.steps.empty() || path.steps[0].kind != Step::Kind::deref);
  return is_copy || OwnObjects(*this).stays_in_frame(place.context, path) ||
         state_->is_unpublished(place, path);
}

// Threads and main have no caller.
void Program::State::find_callers() {
  Leaks::Targets targets;
  calls_of.resize(contexts.size());
  for (ContextId id = 0; id < contexts.size(); ++id) {
    if (!live[id]) continue;
    const std::vector<ContextId>& called = callees[id].all();
    for (size_t i = 0; i < called.size(); ++i) {
      calls_of[called[i]].push_back({id, callees[id].op_of(i)});
      targets[{contexts[id].function, callees[id].op_of(i)}].insert(contexts[called[i]].function);
    }
  }
  for (const Thread& thread : threads) calls_of[thread.root].clear();
  leaks = std::make_unique<Leaks>(functions, std::move(targets));
}

Owned Program::ownership(const Place& place, const Path& path) const {
  const OwnObjects own(*this);
  if (own.in_frame(place.context, path)) return {Ownership::frame, {}, {}};
  return own.by_argument(place.context, path);
}

std::optional<Token> Program::own_number(ContextId id, const Token& number) const {
  Token at = number;
  constexpr int kMaxDepth = 30;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    if (context(id).parent == id) {
      const Thread& thread = threads()[context(id).thread];
      if (thread.is_main || thread.merged) return std::nullopt;
      const Place start{thread.creator, thread.spawn_op};
      const Spawn& spawn = *op(start).as<Spawn>();
      const std::vector<Value>& given =
          at.kind == Token::Kind::capture ? spawn.entry.captures : spawn.arguments;
      const bool own = at.index < given.size() && given[at.index].varies && in_loop(start);
      return own ? std::optional(at) : std::nullopt;
    }
    // Passed along by all who call it here; of several places, those that pass the same.
    std::optional<Token> passed;
    for (const Place& call : callers(id)) {
      const std::vector<Value>& given = op(call).as<Call>()->arguments;
      if (at.kind != Token::Kind::parameter || at.index >= given.size()) return std::nullopt;
      // The rounds of a loop are divided among OpenMP's threads.
      if (given[at.index].varies) return Token{Token::Kind::op, at.index};
      const Path& path = given[at.index].path;
      if (given[at.index].kind != Value::Kind::value_of || !path.steps.empty()) return std::nullopt;
      std::optional<Token> one;
      if (path.root == Path::Root::parameter) one = {Token::Kind::parameter, path.index};
      if (path.root == Path::Root::capture) one = {Token::Kind::capture, path.index};
      if (!one || (passed && *passed != *one) || call.context != callers(id)[0].context) {
        return std::nullopt;
      }
      passed = one;
    }
    if (!passed) return std::nullopt;
    id = callers(id)[0].context;
    at = *passed;
  }
  return std::nullopt;
}

bool Program::before_given(const Place& place, const Path& path, const Owned& owned) const {
  const Path& object = owned.given;
  if (owned.how != Ownership::argument || !object.known() ||
      place.context != owned.given_at.context || path.root != object.root ||
      path.index != object.index || path.name != object.name ||
      path.steps.size() < object.steps.size() ||
      !std::equal(object.steps.begin(), object.steps.end(), path.steps.begin())) {
    return false;
  }
  const auto& ops = state_->ops.at(context(place.context).function);
  const auto& [block, op] = ops.at(place.op);
  const auto& [start_block, start] = ops.at(owned.given_at.op);
  return block == start_block && op < start;  // both in the list of one block's ops
}

}  // namespace foretrace::lint
