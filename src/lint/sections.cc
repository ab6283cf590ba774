#include "lint/sections.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lint/context_effects.h"
#include "lint/shape.h"

namespace foretrace::lint {
namespace {

// As the compiler plugin names it: "Account::balance", "counter", "*p", "table[…]".
std::string variable_name(const Path& path, const Function& function,
                          const std::map<Name, std::string>& globals) {
  std::string after;
  for (auto step = path.steps.rbegin(); step != path.steps.rend(); ++step) {
    if (step->kind == Step::Kind::field) return step->name.text() + after;
    if (step->kind == Step::Kind::element) after = "[…]";
  }
  std::string name = "-";
  if (path.root == Path::Root::global) {
    const auto global = globals.find(path.name);
    if (global != globals.end()) name = global->second;
  }
  if (path.root == Path::Root::parameter && path.index < function.parameters.size()) {
    name = function.parameters[path.index].name;
  }
  if (path.root == Path::Root::local && path.index < function.locals.size()) {
    name = function.locals[path.index].name;
  }
  if (name == "-" || !after.empty()) return name == "-" ? name : name + after;
  const bool pointed = !path.steps.empty() && path.steps.back().kind == Step::Kind::deref;
  return pointed ? "*" + name : name;
}

// The accesses of one function that others may disturb.
class FunctionSections {
 public:
  struct Facts {
    std::set<uint32_t> accesses;  // their ids
    // By call: the variables that it touches too.
    std::map<uint32_t, std::set<Path>> touched_by_calls;
    // By variable: locks that are held at all its accesses, everywhere. As long as one
    // of them is held nobody can disturb.
    std::map<Path, std::set<Path>> locks;
    // Ops that may wait for others, or let them go on: locks, threads, atomics, and calls
    // that do such things or of which nothing is known.
    std::set<uint32_t> synchronising;
  };

  FunctionSections(const FunctionShape& shape, const Facts& facts,
                   const std::map<Name, std::string>& globals)
      : shape_(shape), function_(shape.function()), facts_(facts), globals_(globals) {}

  void find(std::vector<AtomicSection>& sections) {
    for (const uint32_t id : facts_.accesses) {
      load_and_store(id, sections);
      test_and_use(id, sections);
    }
    for (const uint32_t id : facts_.accesses) consecutive(id, sections);
  }

 private:
  const Access& access(uint32_t id) const { return *shape_.op(id).as<Access>(); }

  AtomicSection section(const char* kind, uint32_t entry) const {
    AtomicSection made;
    made.kind = kind;
    made.variable = variable_name(access(entry).path, function_, globals_);
    made.function = function_.name;
    made.write = access(entry).write;
    made.entry = shape_.op(entry).position;
    return made;
  }

  // The accesses to the same variable that can come next, where others can disturb in
  // between: a lock that protects the variable everywhere is not held, or is given back.
  // A call that touches the variable ends the search: what it does is not written out.
  std::vector<uint32_t> next(uint32_t from) const {
    struct Spot {
      uint32_t block = 0;
      size_t index = 0;
      bool open = false;  // no such lock has been held all the way
      auto operator<=>(const Spot&) const = default;
    };
    const Path& path = access(from).path;
    std::set<uint32_t> found;
    std::set<Spot> seen;
    std::vector<Spot> work = {{shape_.block_of(from), index_of(from) + 1, !is_protected(from)}};
    while (!work.empty()) {
      Spot at = work.back();
      work.pop_back();
      if (!seen.insert(at).second) continue;
      const Block& here = function_.blocks[at.block];
      if (at.index == here.ops.size()) {
        for (const uint32_t to : here.next) work.push_back({to, 0, at.open});
        continue;
      }
      const Op& op = here.ops[at.index];
      at.open = at.open || !is_protected(op, path);
      const Access* const other = op.as<Access>();
      if (other != nullptr && other->path == path) {
        if (at.open && facts_.accesses.contains(op.id)) found.insert(op.id);
        continue;
      }
      const auto touched = facts_.touched_by_calls.find(op.id);
      if (touched != facts_.touched_by_calls.end() && touched->second.contains(path)) continue;
      work.push_back({at.block, at.index + 1, at.open});
    }
    return {found.begin(), found.end()};
  }

  bool is_protected(uint32_t id) const { return is_protected(shape_.op(id), access(id).path); }
  bool is_protected(const Op& op, const Path& variable) const {
    const auto locks = facts_.locks.find(variable);
    if (locks == facts_.locks.end()) return false;
    return std::any_of(op.held.begin(), op.held.end(),
                       [&](const Held& held) { return locks->second.contains(held.lock); });
  }

  size_t index_of(uint32_t id) const {
    const std::vector<Op>& ops = function_.blocks[shape_.block_of(id)].ops;
    return static_cast<size_t>(
        std::find_if(ops.begin(), ops.end(), [&](const Op& op) { return op.id == id; }) -
        ops.begin());
  }

  // Whether something on a way from the entry to an end synchronises.
  bool synchronises(uint32_t entry, const std::set<uint32_t>& ends) const {
    using Spot = std::pair<uint32_t, size_t>;
    std::map<Spot, std::vector<Spot>> from;  // the way back
    std::vector<Spot> reached;               // ends
    std::vector<Spot> work = {{shape_.block_of(entry), index_of(entry) + 1}};
    std::set<Spot> seen = {work.front()};
    const auto go = [&](const Spot& at, const Spot& to) {
      from[to].push_back(at);
      if (seen.insert(to).second) work.push_back(to);
    };
    while (!work.empty()) {
      const Spot at = work.back();
      work.pop_back();
      const Block& here = function_.blocks[at.first];
      if (at.second == here.ops.size()) {
        for (const uint32_t to : here.next) go(at, {to, 0});
      } else if (ends.contains(here.ops[at.second].id)) {
        reached.push_back(at);
      } else {
        go(at, {at.first, at.second + 1});
      }
    }
    seen.clear();
    while (!reached.empty()) {
      const Spot at = reached.back();
      reached.pop_back();
      if (!seen.insert(at).second) continue;
      const Block& here = function_.blocks[at.first];
      if (at.second < here.ops.size() && facts_.synchronising.contains(here.ops[at.second].id)) {
        return true;
      }
      const std::vector<Spot>& before = from[at];
      reached.insert(reached.end(), before.begin(), before.end());
    }
    return false;
  }

  // Loads and then a store, from the first load on.
  void load_and_store(uint32_t entry, std::vector<AtomicSection>& sections) {
    if (access(entry).write) return;
    for (const uint32_t before : facts_.accesses) {
      if (before == entry || access(before).write) continue;
      const std::vector<uint32_t> after = next(before);
      if (std::find(after.begin(), after.end(), entry) != after.end()) return;  // not the first
    }
    std::set<uint32_t> seen;
    std::set<uint32_t> stores;
    std::vector<uint32_t> work = {entry};
    while (!work.empty()) {
      const uint32_t load = work.back();
      work.pop_back();
      if (!seen.insert(load).second) continue;
      for (const uint32_t after : next(load)) {
        if (access(after).write) {
          stores.insert(after);
        } else {
          work.push_back(after);
        }
      }
    }
    if (stores.empty()) return;
    AtomicSection made = section("load-and-store", entry);
    for (const uint32_t store : stores) {
      made.ends.push_back(serializable_end(false, true, shape_.op(store).position));
      said_.insert({entry, store});
    }
    made.synchronises = synchronises(entry, stores);
    sections.push_back(std::move(made));
  }

  // A condition on the variable, and loads where it holds.
  void test_and_use(uint32_t entry, std::vector<AtomicSection>& sections) {
    if (access(entry).write) return;
    for (uint32_t block = 0; block < function_.blocks.size(); ++block) {
      const Block& branch = function_.blocks[block];
      const Token token{Token::Kind::op, entry};
      if (branch.next.size() != 2 || std::find(branch.condition.begin(), branch.condition.end(),
                                               token) == branch.condition.end()) {
        continue;
      }
      const std::set<uint32_t> holds = side(block, branch.next[0]);
      const std::set<uint32_t> fails = side(block, branch.next[1]);
      AtomicSection made = section("test-and-use", entry);
      std::set<uint32_t> ends;
      for (const uint32_t use : facts_.accesses) {
        if (use == entry || access(use).write || !(access(use).path == access(entry).path) ||
            !holds.contains(shape_.block_of(use)) || fails.contains(shape_.block_of(use))) {
          continue;
        }
        const std::vector<uint32_t> after = next(use);
        const bool is_last = std::none_of(after.begin(), after.end(), [&](uint32_t other) {
          return !access(other).write && holds.contains(shape_.block_of(other));
        });
        if (!is_last) continue;
        made.ends.push_back(serializable_end(false, false, shape_.op(use).position));
        ends.insert(use);
      }
      if (made.ends.empty()) continue;
      made.synchronises = synchronises(entry, ends);
      add_exits(fails, made);
      sections.push_back(std::move(made));
    }
  }

  // The blocks that only run if the branch goes this way.
  std::set<uint32_t> side(uint32_t branch, uint32_t first) const {
    std::set<uint32_t> blocks;
    std::vector<uint32_t> work = {first};
    while (!work.empty()) {
      const uint32_t block = work.back();
      work.pop_back();
      const std::vector<uint32_t>& deciders = shape_.deciders(block);
      if (!std::binary_search(deciders.begin(), deciders.end(), branch) ||
          !blocks.insert(block).second) {
        continue;
      }
      const std::vector<uint32_t>& following = function_.blocks[block].next;
      work.insert(work.end(), following.begin(), following.end());
    }
    return blocks;
  }

  void add_exits(const std::set<uint32_t>& blocks, AtomicSection& made) const {
    for (const uint32_t block : blocks) {
      for (const Op& op : function_.blocks[block].ops) {
        if (op.as<Access>() == nullptr) continue;
        made.exits.push_back(op.position);
        break;
      }
    }
  }

  void consecutive(uint32_t entry, std::vector<AtomicSection>& sections) {
    AtomicSection made = section("consecutive", entry);
    std::set<uint32_t> ends;
    for (const uint32_t end : next(entry)) {
      if (said_.contains({entry, end})) continue;
      made.ends.push_back(
          serializable_end(access(entry).write, access(end).write, shape_.op(end).position));
      ends.insert(end);
    }
    if (made.ends.empty()) return;
    made.synchronises = synchronises(entry, ends);
    sections.push_back(std::move(made));
  }

  const FunctionShape& shape_;
  const Function& function_;
  const Facts& facts_;
  const std::map<Name, std::string>& globals_;  // their names, by USR
  std::set<std::pair<uint32_t, uint32_t>> said_;
};

// Which variables of the program threads share in a way that a section can be broken.
class SharedAccesses {
 public:
  SharedAccesses(const Program& program, const ContextEffects& effects)
      : program_(program), effects_(effects) {
    for (const ContextId context : effects.contexts()) {
      for (const Block& block : program.context(context).function->blocks) {
        for (const Op& op : block.ops) add({context, op.id});
      }
    }
  }

  // Two threads, one of them writing, at the same time.
  bool contested(LocationId location) const {
    const auto found = uses_.find(location);
    if (found == uses_.end()) return false;
    for (const Use& one : found->second) {
      for (const Use& other : found->second) {
        if ((one.write || other.write) && program_.parallel(one.place, other.place)) return true;
      }
    }
    return false;
  }

  // Locks that all accesses of the location hold.
  std::set<LocationId> common_locks(LocationId location) const {
    std::set<LocationId> common;
    bool first = true;
    for (const Use& use : uses_.at(location)) {
      std::set<LocationId> held;
      for (const HeldLock& lock : program_.locks(use.place)) held.insert(lock.lock);
      if (first) {
        common = std::move(held);
      } else {
        std::erase_if(common, [&](LocationId lock) { return !held.contains(lock); });
      }
      first = false;
    }
    return common;
  }

 private:
  struct Use {
    Place place;
    bool write = false;
  };

  void add(const Place& place) {
    const Op& op = program_.op(place);
    if (op.as<Call>() != nullptr && !program_.callees(place).empty()) return;
    for (const auto& [location, effect] : effects_.of(place)) {
      if (effect.read) uses_[location].push_back({place, false});
      if (effect.write) uses_[location].push_back({place, true});
    }
  }

  const Program& program_;
  const ContextEffects& effects_;
  std::map<LocationId, std::vector<Use>> uses_;
};

// Whether the callers hold one of the locks all the time.
bool held_by_callers(const Program& program, ContextId context, const std::set<LocationId>& locks) {
  const std::vector<HeldLock>& held = program.context(context).held;
  return std::any_of(held.begin(), held.end(),
                     [&](const HeldLock& lock) { return locks.contains(lock.lock); });
}

// Which contexts synchronise, by themselves or by what they call.
class Synchronising {
 public:
  Synchronising(const Program& program, const Models& models, const ContextEffects& effects)
      : program_(program), models_(models), contexts_(program.contexts(), false) {
    std::map<ContextId, std::vector<ContextId>> callers;
    std::vector<ContextId> work;
    for (const ContextId context : effects.contexts()) {
      for (const Block& block : program.context(context).function->blocks) {
        for (const Op& op : block.ops) {
          for (const ContextId callee : program.callees({context, op.id})) {
            callers[callee].push_back(context);
          }
          if (directly({context, op.id})) work.push_back(context);
        }
      }
    }
    while (!work.empty()) {
      const ContextId context = work.back();
      work.pop_back();
      if (contexts_[context]) continue;
      contexts_[context] = true;
      work.insert(work.end(), callers[context].begin(), callers[context].end());
    }
  }

  bool has(const Place& place) const {
    const std::vector<ContextId>& callees = program_.callees(place);
    return directly(place) || std::any_of(callees.begin(), callees.end(),
                                          [&](ContextId callee) { return contexts_[callee]; });
  }

 private:
  bool directly(const Place& place) const {
    const Op& op = program_.op(place);
    if (const Access* const access = op.as<Access>()) return access->atomic;
    if (const Call* const call = op.as<Call>()) {
      return program_.callees(place).empty() && !models_.knows(*call);
    }
    return op.as<Return>() == nullptr;
  }

  const Program& program_;
  const Models& models_;
  std::vector<bool> contexts_;
};

class SectionFacts {
 public:
  SectionFacts(const Program& program, const Models& models, const ContextEffects& effects)
      : program_(program),
        effects_(effects),
        shared_(program, effects),
        synchronising_(program, models, effects) {
    for (const ContextId context : effects.contexts()) add_accesses(context);
    for (const ContextId context : effects.contexts()) add_calls(context);
  }

  const std::map<const Function*, FunctionSections::Facts>& all() const { return facts_; }

 private:
  void add_accesses(ContextId context) {
    const Function* const function = program_.context(context).function;
    for (const Block& block : function->blocks) {
      for (const Op& op : block.ops) {
        const Access* const access = op.as<Access>();
        if (access == nullptr || access->atomic) continue;
        for (const auto& [location, effect] : effects_.of(Place{context, op.id})) {
          add_access(context, op, access->path, location);
        }
      }
    }
  }

  void add_access(ContextId context, const Op& op, const Path& path, LocationId location) {
    const auto [known, is_new] = contested_.try_emplace(location, false);
    if (is_new) known->second = shared_.contested(location);
    if (!known->second) return;
    const std::set<LocationId> locks = shared_.common_locks(location);
    if (held_by_callers(program_, context, locks)) return;
    const Function* const function = program_.context(context).function;
    FunctionSections::Facts& facts = facts_[function];
    facts.accesses.insert(op.id);
    locations_[function].insert({path, location});
    for (const Held& held : op.held) {
      for (const LocationId lock : program_.locations(context, held.lock)) {
        if (locks.contains(lock)) facts.locks[path].insert(held.lock);
      }
    }
  }

  void add_calls(ContextId context) {
    const Function* const function = program_.context(context).function;
    const auto facts = facts_.find(function);
    if (facts == facts_.end()) return;
    for (const Block& block : function->blocks) {
      for (const Op& op : block.ops) {
        if (synchronising_.has({context, op.id})) facts->second.synchronising.insert(op.id);
        if (op.as<Call>() == nullptr) continue;
        const Effects done = effects_.of(Place{context, op.id});
        for (const auto& [path, location] : locations_[function]) {
          if (done.contains(location)) facts->second.touched_by_calls[op.id].insert(path);
        }
      }
    }
  }

  const Program& program_;
  const ContextEffects& effects_;
  const SharedAccesses shared_;
  const Synchronising synchronising_;
  std::map<LocationId, bool> contested_;
  std::map<const Function*, FunctionSections::Facts> facts_;
  std::map<const Function*, std::set<std::pair<Path, LocationId>>> locations_;
};

}  // namespace

SectionEnd serializable_end(bool entry_writes, bool end_writes, const Position& position) {
  const bool both_write = entry_writes && end_writes;
  return {end_writes, position, !both_write, both_write};
}

std::vector<AtomicSection> find_sections(const Program& program, const Models& models) {
  Shapes shapes;
  const ContextEffects effects(program, models);
  const SectionFacts facts(program, models, effects);
  std::map<Name, std::string> globals;
  for (const Summary& summary : program.summaries()) {
    for (const Global& global : summary.globals) globals[global.usr] = global.name;
  }
  std::vector<AtomicSection> sections;
  for (const auto& [function, known] : facts.all()) {
    FunctionSections(shapes.of(*function), known, globals).find(sections);
  }
  std::stable_sort(
      sections.begin(), sections.end(),
      [](const AtomicSection& a, const AtomicSection& b) { return a.entry < b.entry; });
  return sections;
}

std::string to_text(const std::vector<AtomicSection>& sections) {
  // A summary has the column of the object that is written, debug information that of
  // the operator: a write's column is not known.
  const auto site = [](const Position& position, bool write = false) {
    return fmt::format("{}:{}:{}", position.file.text(), position.line,
                       write ? 0 : position.column);
  };
  const auto allowed = [](const SectionEnd& end) {
    if (end.others_may_read) return end.others_may_write ? "read,write" : "read";
    return end.others_may_write ? "write" : "none";
  };
  const auto kind = [](bool write) { return write ? "write" : "read"; };
  std::string text = "foretrace/sections/1\n";
  for (const AtomicSection& section : sections) {
    text += fmt::format("\nsection\t{}\t{}{}\n", section.kind, section.variable,
                        section.synchronises ? "\tsynchronises" : "");
    text += fmt::format("entry\t{}\t{}\t{}\n", kind(section.write),
                        site(section.entry, section.write), section.function);
    for (const SectionEnd& end : section.ends) {
      text += fmt::format("end\t{}\t{}\t{}\t{}\n", kind(end.write), site(end.position, end.write),
                          section.function, allowed(end));
    }
    for (const Position& exit : section.exits) {
      text += fmt::format("exit\t{}\t{}\n", site(exit), section.function);
    }
  }
  return text;
}

}  // namespace foretrace::lint
