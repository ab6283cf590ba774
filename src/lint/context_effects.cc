#include "lint/context_effects.h"

#include <algorithm>
#include <deque>

#include "lint/graphs.h"

namespace foretrace::lint {

namespace {

bool by_location(const Effects::Entry& a, const Effects::Entry& b) { return a.first < b.first; }

void add(LocationEffect& known, const LocationEffect& more) {
  if (!known.read) known.read = more.read;
  if (!known.write) known.write = more.write;
}

bool adds(const LocationEffect& known, const LocationEffect& more) {
  return (!known.read && more.read) || (!known.write && more.write);
}

template <typename Has>
bool any(const std::vector<Effects::Entry>& entries, const std::vector<LocationId>& wanted,
         const Has& has) {
  // The shorter list is gone through, and looked for in the other.
  if (entries.size() < wanted.size()) {
    return std::any_of(entries.begin(), entries.end(), [&](const Effects::Entry& entry) {
      return has(entry.second) && std::binary_search(wanted.begin(), wanted.end(), entry.first);
    });
  }
  return std::any_of(wanted.begin(), wanted.end(), [&](LocationId location) {
    const auto entry =
        std::lower_bound(entries.begin(), entries.end(), Effects::Entry(location, {}), by_location);
    return entry != entries.end() && entry->first == location && has(entry->second);
  });
}

}  // namespace

bool Effects::contains(LocationId location) const {
  return std::binary_search(entries_.begin(), entries_.end(), Entry(location, {}), by_location);
}

LocationEffect& Effects::operator[](LocationId location) {
  auto entry = std::lower_bound(entries_.begin(), entries_.end(), Entry(location, {}), by_location);
  if (entry == entries_.end() || entry->first != location) {
    entry = entries_.insert(entry, {location, {}});
  }
  return entry->second;
}

bool Effects::merge(const Effects& more) {
  // Mostly there is nothing new, or nothing else yet.
  if (more.empty()) return false;
  if (empty()) {
    entries_ = more.entries_;
    return true;
  }
  bool changed = false;
  size_t fresh = 0;
  auto known = entries_.begin();
  for (const auto& [location, effect] : more.entries_) {
    while (known != entries_.end() && known->first < location) ++known;
    if (known == entries_.end() || known->first != location) {
      ++fresh;
    } else if (adds(known->second, effect)) {
      add(known->second, effect);
      changed = true;
    }
  }
  if (fresh == 0) return changed;
  std::vector<Entry> all;
  all.reserve(entries_.size() + fresh);
  std::set_union(entries_.begin(), entries_.end(), more.entries_.begin(), more.entries_.end(),
                 std::back_inserter(all), by_location);
  entries_ = std::move(all);
  return true;
}

bool Effects::reads(const std::vector<LocationId>& any_of) const {
  return any(entries_, any_of,
             [](const LocationEffect& effect) { return effect.read.has_value(); });
}

bool Effects::reads() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& entry) { return entry.second.read.has_value(); });
}

bool Effects::writes(const std::vector<LocationId>& any_of) const {
  return any(entries_, any_of,
             [](const LocationEffect& effect) { return effect.write.has_value(); });
}

ContextEffects::ContextEffects(const Program& program, const Models& models)
    : program_(program),
      models_(models),
      contexts_(contexts_of_threads(program)),
      direct_(program.contexts()),
      whole_(program.contexts()) {
  for (const ContextId context : contexts_) {
    for (const Block& block : program_.context(context).function->blocks) {
      for (const Op& op : block.ops) {
        Effects found = find_direct({context, op.id});
        if (found.empty()) continue;
        whole_[context].merge(found);
        direct_[context][op.id] = std::move(found);
      }
    }
  }
  find_whole();
}

void ContextEffects::find_whole() {
  std::vector<std::vector<ContextId>> callees(program_.contexts());
  std::vector<std::vector<ContextId>> callers(program_.contexts());
  for (const ContextId context : contexts_) {
    callees[context] = callees_of(program_, context);
    for (const ContextId callee : callees[context]) callers[callee].push_back(context);
  }
  std::deque<ContextId> work;
  std::vector<bool> waiting(program_.contexts(), false);
  for (const ContextId context : post_order(callees)) {
    for (const ContextId callee : callees[context]) whole_[context].merge(whole_[callee]);
    work.push_back(context);
    waiting[context] = true;
  }
  while (!work.empty()) {
    const ContextId context = work.front();
    work.pop_front();
    waiting[context] = false;
    for (const ContextId caller : callers[context]) {
      if (!whole_[caller].merge(whole_[context]) || waiting[caller]) continue;
      work.push_back(caller);
      waiting[caller] = true;
    }
  }
}

void ContextEffects::add(const Place& place, const std::vector<LocationId>& locations,
                         ObjectEffect effect, Effects& effects) const {
  for (const LocationId location : locations) {
    if (!program_.shared(location) || program_.indistinct(location)) continue;
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

Effects ContextEffects::find_direct(const Place& place) const {
  Effects effects;
  const Op& op = program_.op(place);
  if (const Access* const access = op.as<Access>()) {
    add_access(place, *access, effects);
  } else if (const Call* const call = op.as<Call>()) {
    if (program_.callees(place).empty()) add_unknown_call(place, *call, effects);
  }
  return effects;
}

const Effects& ContextEffects::direct(const Place& place) const {
  static const Effects none;
  const auto known = direct_[place.context].find(place.op);
  return known != direct_[place.context].end() ? known->second : none;
}

Effects ContextEffects::of(const Place& place) const {
  Effects effects = direct(place);
  for (const ContextId callee : program_.callees(place)) effects.merge(whole_[callee]);
  return effects;
}

Effects ContextEffects::of(ContextId context, std::span<const uint32_t> ops) const {
  Effects effects;
  for (const uint32_t op : ops) effects.merge(of(Place{context, op}));
  return effects;
}

bool ContextEffects::reads(const Place& place, const std::vector<LocationId>& any_of) const {
  const std::span<const ContextId> callees = program_.callees(place);
  return direct(place).reads(any_of) ||
         std::any_of(callees.begin(), callees.end(),
                     [&](ContextId callee) { return whole_[callee].reads(any_of); });
}

bool ContextEffects::reads(const Place& place) const {
  const std::span<const ContextId> callees = program_.callees(place);
  return direct(place).reads() ||
         std::any_of(callees.begin(), callees.end(),
                     [&](ContextId callee) { return whole_[callee].reads(); });
}

bool ContextEffects::writes(const Place& place, const std::vector<LocationId>& any_of) const {
  const std::span<const ContextId> callees = program_.callees(place);
  return direct(place).writes(any_of) ||
         std::any_of(callees.begin(), callees.end(),
                     [&](ContextId callee) { return whole_[callee].writes(any_of); });
}

}  // namespace foretrace::lint
