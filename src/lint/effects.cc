#include "lint/effects.h"

namespace foretrace::lint {
namespace {

void add(const Program& program, ContextId context, const Value& value, ObjectEffect effect,
         std::vector<Effect>& found) {
  if (!effect.reads && !effect.writes) return;
  Path path = value.path;
  if (value.kind == Value::Kind::value_of) {
    path.steps.push_back({Step::Kind::deref, {}});
  } else if (value.kind != Value::Kind::address_of) {
    return;
  }
  std::vector<LocationId> locations = program.pointees(context, value);
  found.push_back({std::move(path), std::move(locations), effect.writes, false, {}, {}});
}

}  // namespace

std::vector<Effect> effects(const Program& program, const Models& models, const Place& place) {
  std::vector<Effect> found;
  const Op& op = program.op(place);
  if (const Access* access = op.as<Access>()) {
    found.push_back({access->path, program.locations(place.context, access->path), access->write,
                     access->atomic, access->element, access->number});
    return found;
  }
  const Call* call = op.as<Call>();
  if (call == nullptr || !program.callees(place).empty()) return found;
  const CallEffect effect = models.effect(*call);
  if (call->is_method) add(program, place.context, call->receiver, effect.receiver, found);
  for (size_t i = 0; i < effect.arguments.size() && i < call->arguments.size(); ++i) {
    add(program, place.context, call->arguments[i], effect.arguments[i], found);
  }
  return found;
}

}  // namespace foretrace::lint
