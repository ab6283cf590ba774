#include "lint/effects.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace foretrace::lint {
namespace {

// Non-const methods of the library that only look at their object.
bool only_looks(std::string_view name) {
  constexpr std::array<std::string_view, 14> kNames = {
      "begin", "end", "rbegin", "rend", "operator[]", "at",          "front",
      "back",  "top", "find",   "data", "get",        "lower_bound", "operator*"};
  const size_t colon = name.rfind("::");
  const std::string_view last = colon == std::string_view::npos ? name : name.substr(colon + 2);
  return std::find(kNames.begin(), kNames.end(), last) != kNames.end() || last == "operator->";
}

void add_object(const Program& program, ContextId context, const Value& value, bool write,
                std::vector<Effect>& found) {
  if (value.kind != Value::Kind::address_of) return;
  found.push_back({value.path, program.locations(context, value.path), write, false, false});
}

}  // namespace

std::vector<Effect> effects(const Program& program, const Place& place) {
  std::vector<Effect> found;
  const Op& op = program.op(place);
  if (const Access* access = op.as<Access>()) {
    found.push_back({access->path, program.locations(place.context, access->path), access->write,
                     access->atomic, access->on_the_way});
    return found;
  }
  const Call* call = op.as<Call>();
  if (call == nullptr || !program.callees(place).empty()) return found;
  if (call->is_method && !call->callee.empty()) {
    const bool write = !call->is_const && !only_looks(call->name.text());
    add_object(program, place.context, call->receiver, write, found);
  }
  for (size_t i = 0; i < call->arguments.size(); ++i) {
    add_object(program, place.context, call->arguments[i], !call->argument_is_const[i], found);
  }
  return found;
}

}  // namespace foretrace::lint
