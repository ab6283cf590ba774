#include "programs/program.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "programs/identifiers.h"
#include "programs/reordering_rules.h"

namespace foretrace::programs {
namespace {

bool is_notify(Op op) { return op == Op::notify || op == Op::notifyall; }
bool begins_section(Op op) { return op == Op::acq || op == Op::racq; }
bool ends_section(Op op) { return op == Op::rel || op == Op::rrel; }

class ProgramBuilder {
 public:
  explicit ProgramBuilder(const Trace& trace) : complete_(complete(trace)) {
    const Symbols& symbols = *trace.symbols;
    program_.symbols = trace.symbols.get();
    program_.main = complete_.main;
    program_.locations.resize(symbols.names(Space::location).size());
    program_.locks.resize(symbols.names(Space::lock).size());
    program_.objects.resize(symbols.names(Space::object).size());
    program_.threads.resize(complete_.threads.size());
    for (Operation& operation : complete_.operations) {
      program_.actions.push_back(
          {.operation = operation, .expected = {}, .awaited = {}, .method = {}});
      threads_[operation.thread].push_back(static_cast<uint32_t>(program_.actions.size() - 1));
    }
  }

  Program build() {
    look_at_uses();
    choose_values();
    find_wakers();
    find_awaited();
    find_barriers();
    find_early_joins();
    find_scopes();
    choose_names();
    for (const auto& [thread, unused] : threads_) build_body(thread);
    for (const ThreadId thread : joined_elsewhere_) program_.threads[thread].in_main = false;
    return std::move(program_);
  }

 private:
  Action& action(uint32_t i) { return program_.actions[i]; }
  const Operation& operation(uint32_t i) const { return program_.actions[i].operation; }
  uint32_t count() const { return static_cast<uint32_t>(program_.actions.size()); }

  void look_at_uses() {
    program_.threads[program_.main].exists = true;
    for (uint32_t i = 0; i < count(); ++i) {
      const auto& [thread, op, object, value, site, resumes] = operation(i);
      switch (space_of(op)) {
        case Space::location: {
          Program::Location& location = program_.locations[object];
          (is_access(op) ? location.plain : location.atomic) = true;
          location.updated |= reads(op) && writes(op);
          break;
        }
        case Space::lock: {
          Program::Lock& lock = program_.locks[object];
          lock.used = true;
          lock.shared |= op == Op::racq;
          lock.waited |= op == Op::wait;
          lock.notifies |= is_notify(op);
          break;
        }
        case Space::object:
          program_.objects[object].used = true;
          break;
        case Space::thread:
          program_.threads[object].exists = true;
          break;
        default:
          break;
      }
    }
  }

  // A write without a value writes what the next read of it has; else one more
  // than the value before.
  void choose_values() {
    std::vector<std::optional<int64_t>> next_read(program_.locations.size());
    for (uint32_t i = count(); i-- > 0;) {
      const Operation& op = operation(i);
      if (space_of(op.op) != Space::location) continue;
      if (!writes(op.op)) {
        if (op.value) next_read[op.object] = op.value;
        continue;
      }
      action(i).expected = op.value ? op.value : next_read[op.object];
      next_read[op.object].reset();
    }
    std::vector<int64_t> current(program_.locations.size());
    for (uint32_t i = 0; i < count(); ++i) {
      const Operation& op = operation(i);
      if (space_of(op.op) != Space::location) continue;
      int64_t& value = current[op.object];
      if (!writes(op.op)) {
        action(i).expected = op.value;
        continue;
      }
      const bool last = value == std::numeric_limits<int64_t>::max();
      value = action(i).expected.value_or(last ? 0 : value + 1);
      action(i).written = value;
      program_.locations[op.object].wide |= value < std::numeric_limits<int32_t>::min() ||
                                            value > std::numeric_limits<int32_t>::max();
    }
  }

  // Waiting for a value is safe where one thread writes the location, each time
  // more than before, and the reader holds no lock that the writer may need.
  void find_awaited() {
    struct Writes {
      ThreadId thread = 0;
      bool any = false;
      bool simple = true;
      int64_t last = 0;
    };
    std::vector<Writes> by_location(program_.locations.size());
    for (uint32_t i = 0; i < count(); ++i) {
      const Operation& op = operation(i);
      if (!writes(op.op)) continue;
      Writes& seen = by_location[op.object];
      seen.simple &= !seen.any || seen.thread == op.thread;
      seen.simple &= op.op == Op::vwr && action(i).written > seen.last;
      seen.any = true;
      seen.thread = op.thread;
      seen.last = action(i).written;
    }
    std::vector<int64_t> current(program_.locations.size());
    std::map<ThreadId, uint32_t> held;
    for (uint32_t i = 0; i < count(); ++i) {
      const Operation& op = operation(i);
      if (begins_section(op.op) && !action(i).is_reacquire) ++held[op.thread];
      if (ends_section(op.op)) --held[op.thread];
      if (writes(op.op)) current[op.object] = action(i).written;
      if (op.op != Op::vrd || held[op.thread] > 0 || current[op.object] == 0) continue;
      const Writes& seen = by_location[op.object];
      if (seen.simple && seen.thread != op.thread) action(i).awaited = current[op.object];
    }
  }

  // Who ends a wait, and how many notifies it has seen by then.
  void find_wakers() {
    std::vector<uint32_t> notifies(program_.locks.size());
    std::map<ThreadId, uint32_t> waits;
    std::map<LockId, std::set<ThreadId>> waiters;
    std::map<ThreadId, std::multiset<LockId>> held;
    for (uint32_t i = 0; i < count(); ++i) {
      const Operation& op = operation(i);
      if (const auto wait = waits.find(op.thread); wait != waits.end()) {
        const LockId lock = operation(wait->second).object;
        action(wait->second).resumes_at = i;
        action(wait->second).notified = notifies[lock];
        action(i).is_reacquire = op.op == Op::acq && op.object == lock;
        waits.erase(wait);
      }
      if (begins_section(op.op) && !action(i).is_reacquire) held[op.thread].insert(op.object);
      if (ends_section(op.op)) held[op.thread].erase(held[op.thread].find(op.object));
      if (op.op == Op::wait) {
        waits[op.thread] = i;
        waiters[op.object].insert(op.thread);
        program_.locks[op.object].many_waiters = waiters[op.object].size() > 1;
      }
      if (is_notify(op.op)) {
        ++notifies[op.object];
        program_.locks[op.object].notified_outside |= !held[op.thread].contains(op.object);
      }
    }
  }

  // Arrivals up to the first departure are one generation. Each group of threads
  // that meets has a barrier of its own: else, in another order, a thread could
  // meet with another group and leave its own waiting.
  void find_barriers() {
    struct Generation {
      std::vector<uint32_t> arrivals;
      bool open = true;
    };
    std::map<uint32_t, std::vector<Generation>> generations;
    std::map<ThreadId, std::pair<uint32_t, size_t>> at;  // barrier and generation
    for (uint32_t i = 0; i < count(); ++i) {
      const Operation& op = operation(i);
      if (const auto left = at.find(op.thread); left != at.end()) {
        generations[left->second.first][left->second.second].open = false;
        at.erase(left);
      }
      if (op.op != Op::barrier) continue;
      std::vector<Generation>& all = generations[op.object];
      if (all.empty() || !all.back().open) all.emplace_back();
      all.back().arrivals.push_back(i);
      at[op.thread] = {op.object, all.size() - 1};
    }
    std::map<std::pair<uint32_t, std::set<ThreadId>>, uint32_t> groups;
    for (const auto& [barrier, all] : generations) {
      for (const Generation& generation : all) {
        std::set<ThreadId> members;
        for (const uint32_t i : generation.arrivals) members.insert(operation(i).thread);
        const auto [group, is_new] =
            groups.try_emplace({barrier, members}, static_cast<uint32_t>(program_.barriers.size()));
        if (is_new) {
          const std::string_view name = program_.symbols->names(Space::barrier)[barrier];
          program_.barriers.push_back({std::string(name), members.size()});
        }
        for (const uint32_t i : generation.arrivals) action(i).barrier = group->second;
      }
    }
  }

  // A thread has been forked when its forker joins it, or who has joined the forker.
  void find_early_joins() {
    std::map<ThreadId, ThreadId> forkers;
    std::map<ThreadId, std::set<ThreadId>> joined;
    for (uint32_t i = 0; i < count(); ++i) {
      const Operation& op = operation(i);
      if (op.op == Op::fork) forkers[op.object] = op.thread;
      if (op.op != Op::join) continue;
      const ThreadId forker = forkers.at(op.object);
      const bool early = forker != op.thread && !joined[op.thread].contains(forker);
      action(i).may_come_early = early;
      program_.threads[op.object].joined_early |= early;
      joined[op.thread].insert(op.object);
    }
  }

  // A lock whose sections do not nest with other blocks is locked and unlocked
  // explicitly. Taking one out of the blocks may make others nest.
  void find_scopes() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [thread, own] : threads_) changed |= find_unnested(own);
    }
  }

  bool find_unnested(const std::vector<uint32_t>& own) {
    struct Block {
      bool unit;
      uint32_t object;
    };
    std::vector<Block> open;
    for (const uint32_t i : own) {
      const Operation& op = operation(i);
      const bool unit = op.op == Op::beg || op.op == Op::end;
      if (!unit && space_of(op.op) != Space::lock) continue;
      if (!unit && !program_.locks[op.object].scoped) continue;
      if (op.op == Op::beg || (begins_section(op.op) && !action(i).is_reacquire)) {
        open.push_back({unit, op.object});
      } else if (op.op == Op::end && !open.back().unit) {
        program_.locks[open.back().object].scoped = false;
        return true;
      } else if (ends_section(op.op) && (open.back().unit || open.back().object != op.object)) {
        program_.locks[op.object].scoped = false;
        return true;
      } else if (op.op == Op::end || ends_section(op.op)) {
        open.pop_back();
      }
    }
    return false;
  }

  void choose_names() {
    const Symbols& symbols = *program_.symbols;
    Identifiers names;
    for (uint32_t i = 0; i < program_.locations.size(); ++i) {
      if (!program_.locations[i].used()) continue;
      program_.locations[i].name = names.add(symbols.location(i), "x");
    }
    for (uint32_t i = 0; i < program_.locks.size(); ++i) {
      Program::Lock& lock = program_.locks[i];
      if (!lock.used) continue;
      lock.name = names.add(symbols.lock(i), "lock");
      names.add("hold_" + lock.name, "");  // what blocks call their guards
      if (!lock.waited && !lock.notifies) continue;
      lock.condition = names.add(lock.name + "_changed", "");
      lock.notified = names.add(lock.name + "_notified", "");
    }
    for (Program::Barrier& barrier : program_.barriers)
      barrier.name = names.add(barrier.name, "barrier");
    for (uint32_t i = 0; i < program_.objects.size(); ++i) {
      if (!program_.objects[i].used) continue;
      program_.objects[i].name = names.add(symbols.names(Space::object)[i], "object");
    }
    for (ThreadId i = 0; i < program_.threads.size(); ++i) {
      if (!program_.threads[i].exists) continue;
      const std::string& name = complete_.threads[i];
      program_.threads[i].name = name;
      program_.threads[i].function = names.add("thread_" + name, "thread");
      const bool numbered = !name.empty() && name[0] >= '0' && name[0] <= '9';
      program_.threads[i].variable = names.add((numbered ? "t" : "t_") + name, "t");
      if (!program_.threads[i].joined_early) continue;
      program_.threads[i].started = names.add(program_.threads[i].variable + "_started", "");
    }
    for (Action& a : program_.actions) {
      if (a.operation.op != Op::beg) continue;
      a.method = names.add(symbols.names(Space::label)[a.operation.object], "unit");
    }
  }

  void build_body(ThreadId thread) {
    std::vector<Statement> blocks(1);  // [0] is the whole body
    for (const uint32_t i : threads_[thread]) {
      const Operation& op = operation(i);
      const bool lock_block = space_of(op.op) == Space::lock && program_.locks[op.object].scoped;
      if (op.op == Op::beg || (lock_block && begins_section(op.op) && !action(i).is_reacquire)) {
        blocks.push_back({i, Statement::kNone, {}});
      } else if (op.op == Op::end || (lock_block && ends_section(op.op))) {
        Statement done = std::move(blocks.back());
        blocks.pop_back();
        done.last = i;
        blocks.back().inside.push_back(std::move(done));
      } else {
        blocks.back().inside.push_back({i, Statement::kNone, {}});
        const bool outside = thread == program_.main && blocks.size() == 1;
        if (op.op == Op::fork) program_.threads[op.object].in_main = outside;
        if (op.op == Op::join && !outside) joined_elsewhere_.insert(op.object);
      }
    }
    program_.threads[thread].body = std::move(blocks[0].inside);
  }

  CompleteTrace complete_;
  Program program_;
  std::map<ThreadId, std::vector<uint32_t>> threads_;  // operations
  std::set<ThreadId> joined_elsewhere_;
};

}  // namespace

std::string Program::tiddle(const Operation& operation) const {
  const Space space = space_of(operation.op);
  std::string text =
      fmt::format("{} {} {}", name_of(operation.op), threads[operation.thread].name,
                  space == Space::thread ? threads[operation.object].name
                                         : std::string(symbols->names(space)[operation.object]));
  if (operation.value) text += fmt::format(" {}", *operation.value);
  return text;
}

Program make_program(const Trace& trace) { return ProgramBuilder(trace).build(); }

}  // namespace foretrace::programs
