// What paths and values mean in a context: Andersen's points-to, without order, with
// contexts. Two rounds of it: first only what is known; then pointers of which
// nothing is known point to "some object of their type".
#include <algorithm>
#include <utility>

#include "lint/program_state.h"

namespace foretrace::lint {
namespace {

constexpr int kMaxCopies = 6;                    // copies of copies
constexpr uint32_t kParameterCell = 0x80000000;  // locals that are parameters by value

Step capture_step(uint32_t index) {
  return {Step::Kind::field, Name("<capture " + std::to_string(index) + ">")};
}

}  // namespace

void add_to(LocationSet& set, const LocationSet& more) {
  if (more.empty()) return;
  LocationSet all;
  std::set_union(set.begin(), set.end(), more.begin(), more.end(), std::back_inserter(all));
  set = std::move(all);
}

// What is known to be in a cell: what was put there, and what is in the cells that it
// is a copy of. Found once in a round; what comes up later in it counts in the next.
const LocationSet& Program::State::known_contents(LocationId cell) {
  if (cell >= cells.size()) cells.resize(std::max<size_t>(cell + 1, locations.size()));
  if (cells[cell].round == rounds) return cells[cell].found;
  std::set<LocationId> found;
  std::set<LocationId> seen = {cell};
  std::vector<LocationId> level = {cell};
  for (int depth = 0; depth <= kMaxCopies && !level.empty(); ++depth) {
    std::vector<LocationId> originals;
    for (const LocationId one : level) {
      if (const auto known = points_to.find(one); known != points_to.end()) {
        found.insert(known->second.begin(), known->second.end());
      }
      for (const LocationId whole : wholes_of(one)) {
        if (const auto known = points_to.find(whole); known != points_to.end()) {
          found.insert(known->second.begin(), known->second.end());
        }
      }
      // A copy of an object has the pointers that the object has.
      const std::vector<LocationId> copied = same_cells(locations, one, copies);
      originals.insert(originals.end(), copied.begin(), copied.end());
    }
    std::erase_if(originals, [&](LocationId one) { return !seen.insert(one).second; });
    level = std::move(originals);
  }
  if (cell >= cells.size()) cells.resize(locations.size());
  InRound& known = cells[cell];
  known.round = rounds;
  if (known.changed == 0 || !std::ranges::equal(known.found, found)) {
    known.changed = rounds;
    known.found.assign(found.begin(), found.end());
  }
  return known.found;
}

LocationSet Program::State::contents(LocationId cell, Name type) {
  if (looked_at != nullptr) looked_at->cells.push_back(cell);
  const LocationSet& found = known_contents(cell);
  if (type.empty()) return found;
  if (found.size() > kMaxTargets) return merged(found, type);
  if (found.empty() && guess) return {locations.object(Location::Kind::any, type)};
  return found;
}

// Once in a round for each context: calls of calls would be followed again and again. A
// recursion adds what was known in the last round.
const Program::State::Returned& Program::State::returned_by(ContextId context) {
  if (returned.size() < contexts.size()) returned.resize(contexts.size());
  if (returned[context].round == rounds) return returned[context];
  returned[context].round = rounds;
  Inputs* const outer = std::exchange(looked_at, nullptr);
  const Function& function = *contexts[context].function;
  LocationSet pointees;
  LocationSet originals;
  for (const Value& value : function.returns) {
    add_to(pointees, pointees_of(context, value));
    if (!function.returns_object || value.kind != Value::Kind::value_of) continue;
    add_to(originals, locations_of(context, value.path));
  }
  looked_at = outer;
  Returned& known = returned[context];
  if (known.changed == 0 || known.pointees != pointees || known.originals != originals) {
    known = {rounds, rounds, std::move(pointees), std::move(originals)};
  }
  return known;
}

// What the results of a call point to, or for `originals` the objects that they are copies of.
LocationSet Program::State::results(ContextId context, uint32_t call_op, bool originals) {
  LocationSet found;
  for (const ContextId callee : callees[context].of(call_op)) {
    if (callee == context) continue;
    if (looked_at != nullptr) looked_at->results.push_back(callee);
    const Returned& result = returned_by(callee);
    add_to(found, originals ? result.originals : result.pointees);
  }
  return found;
}

LocationSet Program::State::locations_of(ContextId context, const Path& path) {
  const Function& function = *contexts[context].function;
  LocationSet set;
  size_t next = 0;  // step
  const bool derefs = !path.steps.empty() && path.steps[0].kind == Step::Kind::deref;
  switch (path.root) {
    case Path::Root::none:
      return {};
    case Path::Root::global:
      set = {locations.object(Location::Kind::global, path.name)};
      break;
    case Path::Root::local:
      set = {locations.object(Location::Kind::local, function.usr, path.index)};
      break;
    case Path::Root::heap:
      set = {locations.object(Location::Kind::heap, function.usr, path.index)};
      break;
    case Path::Root::capture:
      set = {locations.inside(locations.object(Location::Kind::function, closure_of(function)),
                              capture_step(path.index))};
      break;
    case Path::Root::self:
      if (!derefs) return {};
      set = keys[context].self;
      next = 1;
      if (set.empty() && guess) {
        set = {locations.object(Location::Kind::any, path.steps[0].name.empty()
                                                         ? function.class_name
                                                         : path.steps[0].name)};
      }
      break;
    case Path::Root::parameter:
      if (!derefs) {
        set = {locations.object(Location::Kind::local, function.usr, kParameterCell | path.index)};
        break;
      }
      next = 1;
      if (path.index < keys[context].parameters.size()) {
        set = keys[context].parameters[path.index];
      }
      {
        // What the function itself puts into it; only if there is nothing at all, a guess.
        const bool guessed = std::exchange(guess, guess && set.empty());
        add_to(set, contents(locations.object(Location::Kind::local, function.usr,
                                              kParameterCell | path.index),
                             path.steps[0].name));
        guess = guessed;
      }
      break;
    case Path::Root::result:
      set = results(context, path.index, !derefs);
      if (!derefs) break;
      next = 1;
      if (set.empty() && guess && !path.steps[0].name.empty()) {
        set = {locations.object(Location::Kind::any, path.steps[0].name)};
      }
      break;
  }
  for (; next < path.steps.size(); ++next) {
    const Step& step = path.steps[next];
    LocationSet reached;
    for (const LocationId location : set) {
      if (step.kind == Step::Kind::deref) {
        add_to(reached, contents(location, step.name));
      } else {
        add_to(reached, {locations.inside(location, step)});
      }
    }
    set = std::move(reached);
  }
  return set;
}

LocationSet Program::State::pointees_of(ContextId context, const Value& value) {
  switch (value.kind) {
    case Value::Kind::other:
      return {};
    case Value::Kind::address_of:
      return locations_of(context, value.path);
    case Value::Kind::function:
      return {locations.object(Location::Kind::function, value.function)};
    case Value::Kind::value_of:
      break;
  }
  // Pointers that are passed on: what they point to has no type of its own here.
  Path pointee = value.path;
  pointee.steps.push_back({Step::Kind::deref, {}});
  return locations_of(context, pointee);
}

bool Program::State::points(LocationId cell, const LocationSet& targets) {
  const auto add = [&](LocationId to) {
    std::set<LocationId>& known = points_to[to];
    const size_t before = known.size();
    known.insert(targets.begin(), targets.end());
    return known.size() != before;
  };
  if (looked_at != nullptr) looked_at->written.push_back(cell);
  bool changed = add(cell);
  for (const LocationId whole : wholes_of(cell)) changed = add(whole) || changed;
  return changed;
}

bool Program::State::copied(LocationId cell, const LocationSet& originals) {
  bool changed = false;
  for (const LocationId original : originals) {
    if (original == cell) continue;
    changed = copies[cell].insert(original).second || changed;
  }
  return changed;
}

bool Program::State::bind_captures(ContextId context, const Value& value) {
  if (value.kind != Value::Kind::function) return false;
  bool changed = false;
  const LocationId closure = locations.object(Location::Kind::function, value.function);
  for (size_t i = 0; i < value.captures.size(); ++i) {
    const LocationId cell = locations.inside(closure, capture_step(static_cast<uint32_t>(i)));
    const Value& capture = value.captures[i];
    changed = points(cell, pointees_of(context, capture)) || changed;
    changed = bind_captures(context, capture) || changed;
    if (capture.kind != Value::Kind::value_of) continue;
    changed = copied(cell, locations_of(context, capture.path)) || changed;
  }
  return changed;
}

bool Program::State::bind(ContextId context, const Binding& binding) {
  bool changed = bind_captures(context, binding.value);
  const LocationSet targeted = locations_of(context, binding.target);
  const LocationSet targets = pointees_of(context, binding.value);
  for (const LocationId cell : targeted) {
    changed = (!targets.empty() && points(cell, targets)) || changed;
    if (binding.value.kind != Value::Kind::value_of) continue;
    changed = copied(cell, locations_of(context, binding.value.path)) || changed;
  }
  return changed;
}

}  // namespace foretrace::lint
