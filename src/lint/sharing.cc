// Which objects are told apart, and which of them more than one thread can get at.
#include <algorithm>
#include <optional>

#include "lint/program_state.h"

namespace foretrace::lint {
namespace {

bool is_made_here(Location::Kind kind) {
  return kind == Location::Kind::local || kind == Location::Kind::heap ||
         kind == Location::Kind::made;
}

bool is_number(const std::string& type) {
  return type.find(' ') != std::string::npos || type == "int" || type == "char" || type == "bool" ||
         type == "float" || type == "double" || type == "long" || type == "short" ||
         type == "void" || type.empty();
}

}  // namespace

// What is known to be a thread's own so far stays apart from what others have: a function
// that is called with both does not make a buffer on the stack look shared.
LocationSet Program::State::merged(const LocationSet& set, Name type) {
  std::optional<LocationId> some;  // of others
  std::optional<LocationId> made;
  const bool everywhere = is_everywhere(type);
  for (const LocationId one : set) {
    const LocationId object = locations.object_of(one);
    if (!is_made_here(locations.at(object).kind) || shared_objects.contains(object)) {
      if (!some) some = locations.object(Location::Kind::any, type);
      continue;
    }
    if (!made) made = locations.object(Location::Kind::made, type);
    if (one == *made || everywhere || !members[*made].insert(one).second) continue;
    member_of[one].push_back(*made);
    joined_in[one] = last_joined = rounds;
  }
  LocationSet result;
  if (some) result.push_back(*some);
  if (made) add_to(result, {*made});
  return result;
}

// Functions that may be called stay.
LocationSet Program::State::told_apart(const LocationSet& set, Name type) {
  if (set.size() <= kMaxTargets || type.empty()) return set;
  LocationSet kept;
  LocationSet objects;
  for (const LocationId one : set) {
    const bool is_function = locations.at(one).kind == Location::Kind::function;
    (is_function ? kept : objects).push_back(one);
  }
  add_to(kept, merged(objects, type));
  return kept;
}

// The same cell of the objects that it is a member of: what is put into one is in the
// other too.
std::vector<LocationId> Program::State::wholes_of(LocationId cell) {
  return same_cells(locations, cell, member_of);
}

// Whether what was put into the cell in that round, or before it, is not in all wholes.
bool Program::State::has_new_wholes(LocationId cell, uint32_t round) const {
  for (LocationId outer = cell;; outer = locations.at(outer).base) {
    const auto joined = joined_in.find(outer);
    if (joined != joined_in.end() && joined->second >= round) return true;
    if (locations.at(outer).kind != Location::Kind::inside) return false;
  }
}

// Globals, what threads are given, and what can be reached from there.
void Program::State::find_shared() {
  shared_objects.clear();
  std::vector<LocationId> work;
  const auto share = [&](LocationId location) {
    const LocationId object = locations.object_of(location);
    if (shared_objects.insert(object).second) work.push_back(object);
  };
  for (const auto& [place, made] : spawned) {
    if (made.empty() || !live[place.first]) continue;
    const Spawn& spawn = *ops[contexts[place.first].function][place.second].second->as<Spawn>();
    for (const LocationId location : pointees_of(place.first, spawn.receiver)) share(location);
    for (const LocationId location : pointees_of(place.first, spawn.entry)) share(location);
    for (const Value& argument : spawn.arguments) {
      for (const LocationId location : pointees_of(place.first, argument)) share(location);
    }
  }
  for (LocationId id = 0; id < locations.size(); ++id) {
    const Location::Kind kind = locations.at(id).kind;
    if (kind == Location::Kind::global || kind == Location::Kind::any) share(id);
  }
  const std::map<LocationId, std::set<LocationId>> reach = find_reach();
  while (!work.empty()) {
    const LocationId object = work.back();
    work.pop_back();
    if (const auto found = reach.find(object); found != reach.end()) {
      for (const LocationId target : found->second) share(target);
    }
  }
}

// Numbers, strings, containers.
bool Program::State::is_everywhere(Name type_name) {
  const std::string& type = type_name.text();
  return is_number(type) || type.starts_with("std::");
}

// Some memory of which nothing is known but that it is a number, a string or the like is no
// way to what was put there: one pointer to a character that is shared would make every
// buffer look so.
bool Program::State::is_hub(LocationId object) const {
  const Location& at = locations.at(object);
  return (at.kind == Location::Kind::any || at.kind == Location::Kind::made) &&
         is_everywhere(at.name);
}

// By object: those that are shared if it is.
std::map<LocationId, std::set<LocationId>> Program::State::find_reach() const {
  std::map<LocationId, std::set<LocationId>> reach;
  for (const auto& [cell, found] : points_to) {
    if (is_hub(locations.object_of(cell))) continue;
    for (const LocationId target : found) {
      reach[locations.object_of(cell)].insert(locations.object_of(target));
    }
  }
  for (const auto& [cell, originals] : copies) {
    if (is_hub(locations.object_of(cell))) continue;
    for (const LocationId original : originals) {
      // A copy of a shared object points to what that points to, and the other way.
      const std::set<LocationId> targets = reach[locations.object_of(original)];
      reach[locations.object_of(cell)].insert(targets.begin(), targets.end());
    }
  }
  for (const auto& [whole, parts] : members) {
    for (const LocationId part : parts) {
      reach[whole].insert(locations.object_of(part));
      reach[locations.object_of(part)].insert(whole);
    }
  }
  return reach;
}

}  // namespace foretrace::lint
