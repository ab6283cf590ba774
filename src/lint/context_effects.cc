#include "lint/context_effects.h"

#include <deque>

namespace foretrace::lint {

bool merge(Effects& into, const Effects& more) {
  bool changed = false;
  for (const auto& [location, effect] : more) {
    LocationEffect& known = into[location];
    if (!known.read && effect.read) {
      known.read = effect.read;
      changed = true;
    }
    if (!known.write && effect.write) {
      known.write = effect.write;
      changed = true;
    }
  }
  return changed;
}

ContextEffects::ContextEffects(const Program& program, const Models& models)
    : program_(program),
      models_(models),
      contexts_(contexts_of_threads(program)),
      whole_(program.contexts()) {
  std::map<ContextId, std::vector<ContextId>> callers;
  std::deque<ContextId> work;
  for (const ContextId context : contexts_) {
    for (const Block& block : program_.context(context).function->blocks) {
      for (const Op& op : block.ops) {
        const Place place{context, op.id};
        merge(whole_[context], direct(place));
        if (op.as<Call>() == nullptr) continue;
        for (const ContextId callee : program_.callees(place)) callers[callee].push_back(context);
      }
    }
    work.push_back(context);
  }
  while (!work.empty()) {
    const ContextId context = work.front();
    work.pop_front();
    for (const ContextId caller : callers[context]) {
      if (merge(whole_[caller], whole_[context])) work.push_back(caller);
    }
  }
}

void ContextEffects::add(const Place& place, const std::vector<LocationId>& locations,
                         ObjectEffect effect, Effects& effects) const {
  for (const LocationId location : locations) {
    if (!program_.shared(location)) continue;
    LocationEffect& known = effects[location];
    if (effect.reads && !known.read) known.read = place;
    if (effect.writes && !known.write) known.write = place;
  }
}

// The way to an object is no access of its own: `list` of `list->head` (category A of
// section 4.7).
void ContextEffects::add_access(const Place& place, const Access& access, Effects& effects) const {
  if (access.on_the_way) return;
  add(place, program_.locations(place.context, access.path), {!access.write, access.write},
      effects);
}

void ContextEffects::add_unknown_call(const Place& place, const Call& call,
                                      Effects& effects) const {
  const CallEffect effect = models_.effect(call);
  if (effect.receiver.reads || effect.receiver.writes) {
    add(place, program_.pointees(place.context, call.receiver), effect.receiver, effects);
  }
  for (size_t i = 0; i < effect.arguments.size() && i < call.arguments.size(); ++i) {
    if (!effect.arguments[i].reads && !effect.arguments[i].writes) continue;
    add(place, program_.pointees(place.context, call.arguments[i]), effect.arguments[i], effects);
  }
}

Effects ContextEffects::direct(const Place& place) const {
  Effects effects;
  const Op& op = program_.op(place);
  if (const Access* const access = op.as<Access>()) {
    add_access(place, *access, effects);
  } else if (const Call* const call = op.as<Call>()) {
    if (program_.callees(place).empty()) add_unknown_call(place, *call, effects);
  }
  return effects;
}

Effects ContextEffects::of(const Place& place) const {
  Effects effects = direct(place);
  if (program_.op(place).as<Call>() != nullptr) {
    for (const ContextId callee : program_.callees(place)) merge(effects, whole_[callee]);
  }
  return effects;
}

Effects ContextEffects::of(ContextId context, std::span<const uint32_t> ops) const {
  Effects effects;
  for (const uint32_t op : ops) merge(effects, of(Place{context, op}));
  return effects;
}

}  // namespace foretrace::lint
