// Objects that are still their maker's own: what is done to a new object before its address is put
// anywhere, or given to anybody who puts it somewhere.
#include <algorithm>

#include "lint/program_state.h"

namespace foretrace::lint {
namespace {

bool has_deref(const Path& path, size_t from) {
  return std::any_of(path.steps.begin() + static_cast<std::ptrdiff_t>(from), path.steps.end(),
                     [](const Step& step) { return step.kind == Step::Kind::deref; });
}

// Whether the op can be done after one of these, with the object that was made before it: a way
// through the block that makes it leads to another one.
bool comes_after(const Function& function, const Allocation& made, const std::set<uint32_t>& ops,
                 uint32_t op) {
  std::set<std::pair<uint32_t, size_t>> seen;
  std::vector<std::pair<uint32_t, size_t>> work;  // block and index
  for (uint32_t block = 0; block < function.blocks.size(); ++block) {
    for (size_t i = 0; i < function.blocks[block].ops.size(); ++i) {
      if (ops.contains(function.blocks[block].ops[i].id)) work.emplace_back(block, i + 1);
    }
  }
  while (!work.empty()) {
    const auto [number, index] = work.back();
    work.pop_back();
    if (!seen.insert({number, index}).second) continue;
    const Block& block = function.blocks[number];
    if (index < block.ops.size()) {
      if (block.ops[index].id == op) return true;
      work.emplace_back(number, index + 1);
      continue;
    }
    for (const uint32_t next : block.next) {
      if (next != made.block) {
        work.emplace_back(next, 0);
        continue;
      }
      // Up to where the next one is made.
      const std::vector<Op>& before = function.blocks[next].ops;
      if (std::any_of(before.begin(), before.end(), [&](const Op& one) {
            return one.id == op && one.position < made.position;
          })) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool Program::State::is_unpublished(const Place& place, const Path& path, int depth) {
  constexpr int kMaxDepth = 8;
  if (depth > kMaxDepth) return false;
  const Function& function = *contexts[place.context].function;
  const bool is_pointer = !path.steps.empty() && path.steps[0].kind == Step::Kind::deref;
  if (has_deref(path, is_pointer ? 1 : 0)) return false;
  const auto is_own = [&](const Path& object) {
    if (object.root != Path::Root::heap || has_deref(object, 0)) return false;
    auto [known, is_new] = leaving.try_emplace({&function, object.index});
    if (is_new) known->second = leaks->leaves_at(function, object.index);
    const std::optional<std::set<uint32_t>>& at = known->second;
    return at && !at->contains(place.op) &&
           !comes_after(function, function.allocations[object.index], *at, place.op);
  };
  if (path.root == Path::Root::heap) return !is_pointer && is_own(path);
  if (!is_pointer) return false;
  if (path.root == Path::Root::local) {
    bool any = false;
    for (const Binding& binding : function.bindings) {
      if (!(binding.target == Path{path.root, path.index, path.name, {}})) continue;
      if (binding.value.kind != Value::Kind::address_of || !is_own(binding.value.path))
        return false;
      any = true;
    }
    return any;
  }
  if (path.root != Path::Root::self && path.root != Path::Root::parameter) return false;
  // A callee that does not let it leave, and all who call it have it for themselves.
  const std::vector<Place>& calls = calls_of[place.context];
  return !calls.empty() && !leaks->lets_leave(function, path.root, path.index) &&
         std::all_of(calls.begin(), calls.end(), [&](const Place& call) {
           const Op& op = *ops.at(contexts[call.context].function).at(call.op).second;
           const std::optional<Path> outer = to_caller(path, given_by(*op.as<Call>()));
           return outer && is_unpublished(call, *outer, depth + 1);
         });
}

}  // namespace foretrace::lint
