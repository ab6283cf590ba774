#include "lint/program.h"

#include <algorithm>
#include <set>

#include "lint/program_state.h"

namespace foretrace::lint {
namespace {

// Whether lock and access start from one object: all that the lock's path cannot
// tell apart (pointers, elements) is also the beginning of the access's path.
bool from_same_object(const Path& lock, const Path& access) {
  if (!lock.known() || lock.root != access.root || lock.index != access.index ||
      lock.name != access.name) {
    return false;
  }
  size_t base = lock.steps.size();
  while (base > 0 && lock.steps[base - 1].kind == Step::Kind::field) --base;
  return base <= access.steps.size() &&
         std::equal(lock.steps.begin(), lock.steps.begin() + static_cast<std::ptrdiff_t>(base),
                    access.steps.begin());
}

// `locks[k]` and `values[k]`.
bool has_same_number(const Path& lock, const Path& access) {
  if (lock.steps.empty() || lock.steps.back().index.empty()) return false;
  return std::any_of(access.steps.begin(), access.steps.end(), [&](const Step& step) {
    return step.kind == Step::Kind::element && step.index == lock.steps.back().index;
  });
}

// A class or the like; not `void *` or `unsigned int`.
bool is_one_word(const std::string& type) {
  return type.find_first_of(" *&(") == std::string::npos && !type.empty();
}

std::string last_part(const std::string& name) {
  const size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

}  // namespace

Program::Program(std::vector<Summary> summaries) : state_(std::make_unique<State>()) {
  state_->summaries = std::move(summaries);
  state_->link();
}
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

const std::vector<Summary>& Program::summaries() const { return state_->summaries; }
const std::vector<Thread>& Program::threads() const { return state_->threads; }
size_t Program::contexts() const { return state_->contexts.size(); }
const Context& Program::context(ContextId id) const { return state_->contexts[id]; }
const Locations& Program::all_locations() const { return state_->locations; }

const Function* Program::function(Name usr) const {
  const auto found = state_->functions.find(usr);
  return found != state_->functions.end() ? found->second : nullptr;
}

const Op& Program::op(const Place& place) const {
  return *state_->ops.at(state_->contexts[place.context].function).at(place.op).second;
}

bool Program::in_loop(const Place& place) const {
  const Function* const function = state_->contexts[place.context].function;
  return function->blocks[state_->ops.at(function).at(place.op).first].in_loop;
}

std::vector<LocationId> Program::locations(ContextId context, const Path& path) const {
  return state_->locations_of(context, path);
}

std::vector<LocationId> Program::pointees(ContextId context, const Value& value) const {
  return state_->pointees_of(context, value);
}

std::span<const ContextId> Program::callees(const Place& call) const {
  return state_->callees[call.context].of(call.op);
}

const std::vector<Place>& Program::callers(ContextId context) const {
  return state_->calls_of[context];
}

std::vector<HeldLock> Program::locks(const Place& place) const {
  return state_->locks_at(place.context, op(place));
}

bool Program::shared(LocationId location) const {
  const LocationId object = state_->locations.object_of(location);
  const Location& root = state_->locations.at(object);
  // These may have been named only after the program was linked.
  if (root.kind == Location::Kind::any) return true;
  if (root.kind != Location::Kind::global) return state_->shared_objects.contains(object);
  const auto global = state_->globals.find(root.name);
  return global == state_->globals.end() || !global->second->is_thread_local;
}

bool Program::indistinct(LocationId location) const {
  const Location& object = state_->locations.at(state_->locations.object_of(location));
  if (object.kind == Location::Kind::made) return true;
  if (object.kind != Location::Kind::any) return false;
  // A field of what was taken for a number knows what it is a part of.
  return state_->is_everywhere(object.name) && (object.name.text().starts_with("std::") ||
                                                state_->locations.object_of(location) == location);
}

// `a_has(t)`: whether the thread t, which a's has started, lives at a.
template <typename AHas, typename BHas>
bool Program::parallel(ThreadIndex a, const AHas& a_has, ThreadIndex b, const BHas& b_has) const {
  const std::vector<Thread>& all = state_->threads;
  if (a == b) return all[a].many;
  if (state_->descendants[a].contains(b)) return all[a].many || a_has(b);
  if (state_->descendants[b].contains(a)) return all[b].many || b_has(a);
  return state_->overlap.contains({a, b});
}

bool Program::parallel(const Place& a, const Place& b) const {
  if (const auto known = state_->parallel_in_team(a, b)) return *known;
  const auto has = [&](const Place& place) {
    return [&](ThreadIndex thread) { return state_->alive(place).has(thread); };
  };
  return parallel(context(a.context).thread, has(a), context(b.context).thread, has(b));
}

bool Program::parallel(const Moment& a, const Moment& b) const {
  if (a.in_team && b.in_team) return parallel(*a.in_team, *b.in_team);
  const auto has = [](const Moment& moment) {
    return [&](ThreadIndex thread) {
      return std::binary_search(moment.alive.begin(), moment.alive.end(), thread);
    };
  };
  return parallel(a.thread, has(a), b.thread, has(b));
}

Moment Program::moment(const Place& place) const {
  Moment moment{context(place.context).thread, {}, {}};
  const std::vector<Place> starts = state_->starts_of(place);
  if (std::any_of(starts.begin(), starts.end(), [&](const Place& start) {
        return state_->teams[context(start.context).thread];
      })) {
    moment.in_team = place;
  }
  const std::set<ThreadIndex>& started = state_->descendants[moment.thread];
  if (started.empty() || threads()[moment.thread].many) return moment;
  const Bits alive = state_->alive(place);
  std::copy_if(started.begin(), started.end(), std::back_inserter(moment.alive),
               [&](ThreadIndex thread) { return alive.has(thread); });
  return moment;
}

bool Program::single(LocationId location) const {
  const Locations& all = state_->locations;
  LocationId at = location;
  for (; all.at(at).kind == Location::Kind::inside; at = all.at(at).base) {
    if (all.at(at).step.kind == Step::Kind::element) return false;
  }
  const Location& object = all.at(at);
  if (object.kind == Location::Kind::global) return true;
  // Of objects that are not known, one of a type is assumed.
  if (object.kind == Location::Kind::any || object.kind == Location::Kind::made) return true;
  const Function* owner = function(object.name);
  if (owner == nullptr || object.kind == Location::Kind::function) return false;
  if (state_->times_called[owner] > 1 || state_->repeated.contains(owner)) return false;
  if (object.kind == Location::Kind::heap) {
    return !owner->blocks[owner->allocations[object.index].block].in_loop;
  }
  return true;
}

// locks[0] and locks[0]
bool Program::same_element(const HeldLock& one, const HeldLock& other) const {
  const Location& element = state_->locations.at(one.lock);
  const auto number = [](const Path& path) {
    return path.steps.empty() ? Name() : path.steps.back().index;
  };
  return element.kind == Location::Kind::inside && element.step.kind == Step::Kind::element &&
         single(element.base) && is_constant(number(one.path)) &&
         number(one.path) == number(other.path);
}

bool Program::exclude(const Place& a, const Path& path_a, const Place& b,
                      const Path& path_b) const {
  const std::vector<HeldLock> others = locks(b);
  for (const HeldLock& one : locks(a)) {
    for (const HeldLock& other : others) {
      if (one.kind != other.kind || (one.shared && other.shared) ||
          !state_->locations.may_alias(one.lock, other.lock)) {
        continue;
      }
      if (one.kind == LockKind::transaction) return true;
      if (!shared(one.lock)) continue;
      if (one.lock == other.lock && one.sure && other.sure &&
          (single(one.lock) || same_element(one, other))) {
        return true;
      }
      // If the objects are the same one, so are the locks in them.
      if (from_same_object(one.path, path_a) && from_same_object(other.path, path_b)) return true;
      // If the elements are the same one, so are the locks of that number.
      if (has_same_number(one.path, path_a) && has_same_number(other.path, path_b)) return true;
    }
  }
  return false;
}

std::string Program::text(LocationId location) const {
  const Location& at = state_->locations.at(location);
  switch (at.kind) {
    case Location::Kind::global: {
      const auto global = state_->globals.find(at.name);
      return global != state_->globals.end() ? global->second->name : at.name.text();
    }
    case Location::Kind::local: {
      const Function* owner = function(at.name);
      if (owner == nullptr) return "a local variable";
      if (at.index < owner->locals.size()) return owner->locals[at.index].name;
      const size_t parameter = at.index & 0x7FFFFFFF;
      return parameter < owner->parameters.size() ? owner->parameters[parameter].name
                                                  : "a parameter";
    }
    case Location::Kind::heap: {
      const Function* owner = function(at.name);
      return owner != nullptr ? last_part(owner->allocations[at.index].type.text())
                              : "an allocated object";
    }
    case Location::Kind::function:
      return "a closure";
    case Location::Kind::any:
    case Location::Kind::made:
      return is_one_word(at.name.text()) ? last_part(at.name.text())
                                         : "some memory (" + at.name.text() + ")";
    case Location::Kind::inside:
      break;
  }
  const Location& outer = state_->locations.at(at.base);
  const Function* const maker = outer.kind == Location::Kind::heap ? function(outer.name) : nullptr;
  const bool is_some = outer.kind == Location::Kind::any || outer.kind == Location::Kind::made;
  const Name type = maker != nullptr ? maker->allocations[outer.index].type : outer.name;
  if ((is_some || maker != nullptr) && !is_one_word(type.text()) &&
      at.step.kind == Step::Kind::field) {
    // The field knows better what it is a part of.
    const std::string& field = at.step.name.text();
    const size_t colon = field.rfind("::");
    return (colon == std::string::npos ? "" : last_part(field.substr(0, colon)) + ".") +
           last_part(field);
  }
  const std::string base = text(at.base);
  return at.step.kind == Step::Kind::element ? base + "[]"
                                             : base + "." + last_part(at.step.name.text());
}

std::vector<ContextId> Program::call_chain(ContextId id) const {
  std::vector<ContextId> chain{id};
  while (context(id).parent != id && chain.size() < contexts()) {
    id = context(id).parent;
    chain.push_back(id);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

std::vector<ContextId> contexts_of_threads(const Program& program) {
  std::set<ContextId> seen;
  std::vector<ContextId> work;
  for (const Thread& thread : program.threads()) work.push_back(thread.root);
  while (!work.empty()) {
    const ContextId context = work.back();
    work.pop_back();
    if (!seen.insert(context).second) continue;
    const std::vector<ContextId> callees = callees_of(program, context);
    work.insert(work.end(), callees.begin(), callees.end());
  }
  return {seen.begin(), seen.end()};
}

std::vector<ContextId> callees_of(const Program& program, ContextId context) {
  std::vector<ContextId> found;
  for (const Block& block : program.context(context).function->blocks) {
    for (const Op& op : block.ops) {
      if (op.as<Call>() == nullptr) continue;
      const std::span<const ContextId> callees = program.callees({context, op.id});
      found.insert(found.end(), callees.begin(), callees.end());
    }
  }
  return found;
}

std::vector<uint32_t> ops_of(const Program& program, ContextId context) {
  std::vector<uint32_t> ops;
  for (const Block& block : program.context(context).function->blocks) {
    for (const Op& op : block.ops) ops.push_back(op.id);
  }
  return ops;
}

}  // namespace foretrace::lint
