#include "lint/sections.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lint/context_effects.h"
#include "lint/function_sections.h"
#include "lint/graphs.h"
#include "lint/shape.h"

namespace foretrace::lint {
namespace {

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
      : program_(program), models_(models) {
    std::vector<std::vector<ContextId>> callers(program.contexts());
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
    contexts_ = reached_from(std::move(work), callers);
  }

  bool has(const Place& place) const {
    const std::span<const ContextId> callees = program_.callees(place);
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
