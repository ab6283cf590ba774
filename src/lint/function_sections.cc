#include "lint/function_sections.h"

#include <algorithm>

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

}  // namespace

void FunctionSections::find(std::vector<AtomicSection>& sections) {
  for (const uint32_t id : facts_.accesses) {
    load_and_store(id, sections);
    test_and_use(id, sections);
  }
  for (const uint32_t id : facts_.accesses) consecutive(id, sections);
}

AtomicSection FunctionSections::section(const char* kind, uint32_t entry) const {
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
std::vector<uint32_t> FunctionSections::next(uint32_t from) const {
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

bool FunctionSections::is_protected(const Op& op, const Path& variable) const {
  const auto locks = facts_.locks.find(variable);
  if (locks == facts_.locks.end()) return false;
  return std::any_of(op.held.begin(), op.held.end(),
                     [&](const Held& held) { return locks->second.contains(held.lock); });
}

size_t FunctionSections::index_of(uint32_t id) const {
  const std::vector<Op>& ops = function_.blocks[shape_.block_of(id)].ops;
  return static_cast<size_t>(
      std::find_if(ops.begin(), ops.end(), [&](const Op& op) { return op.id == id; }) -
      ops.begin());
}

// Whether something on a way from the entry to an end synchronises.
bool FunctionSections::synchronises(uint32_t entry, const std::set<uint32_t>& ends) const {
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
void FunctionSections::load_and_store(uint32_t entry, std::vector<AtomicSection>& sections) {
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
void FunctionSections::test_and_use(uint32_t entry, std::vector<AtomicSection>& sections) {
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
std::set<uint32_t> FunctionSections::side(uint32_t branch, uint32_t first) const {
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

void FunctionSections::add_exits(const std::set<uint32_t>& blocks, AtomicSection& made) const {
  for (const uint32_t block : blocks) {
    for (const Op& op : function_.blocks[block].ops) {
      if (op.as<Access>() == nullptr) continue;
      made.exits.push_back(op.position);
      break;
    }
  }
}

void FunctionSections::consecutive(uint32_t entry, std::vector<AtomicSection>& sections) {
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

}  // namespace foretrace::lint
