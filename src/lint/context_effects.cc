#include "lint/context_effects.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lint/graphs.h"
#include "lint/taint.h"

namespace foretrace::lint {

namespace {

bool by_location(const Effects::Entry& a, const Effects::Entry& b) { return a.first < b.first; }

uint64_t key_of(const Place& place) { return uint64_t{place.context} << 32 | place.op; }

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

void Effects::merge(const Effects& more) {
  // Mostly there is nothing new, or nothing else yet.
  if (more.empty()) return;
  if (empty()) {
    entries_ = more.entries_;
    return;
  }
  size_t fresh = 0;
  auto known = entries_.begin();
  for (const auto& [location, effect] : more.entries_) {
    while (known != entries_.end() && known->first < location) ++known;
    if (known == entries_.end() || known->first != location) {
      ++fresh;
    } else {
      known->second.read = known->second.read || effect.read;
      known->second.write = known->second.write || effect.write;
    }
  }
  if (fresh == 0) return;
  std::vector<Entry> all;
  all.reserve(entries_.size() + fresh);
  std::set_union(entries_.begin(), entries_.end(), more.entries_.begin(), more.entries_.end(),
                 std::back_inserter(all), by_location);
  entries_ = std::move(all);
}

bool Effects::reads(const std::vector<LocationId>& any_of) const {
  return any(entries_, any_of, [](const LocationEffect& effect) { return effect.read; });
}

bool Effects::reads() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& entry) { return entry.second.read; });
}

bool Effects::writes(const std::vector<LocationId>& any_of) const {
  return any(entries_, any_of, [](const LocationEffect& effect) { return effect.write; });
}

ContextEffects::ContextEffects(const Program& program, const Models& models)
    : program_(program),
      models_(models),
      contexts_(contexts_of_threads(program)),
      whole_of_(program.contexts()) {
  for (const ContextId context : contexts_) {
    for (const Block& block : program_.context(context).function->blocks) {
      for (const Op& op : block.ops) {
        const Place place{context, op.id};
        Effects found = find_direct(place);
        if (found.empty()) continue;
        found.shrink();
        direct_[key_of(place)] = std::move(found);
      }
    }
  }
  find_whole();
}

// All contexts of a recursion do what one of them does.
void ContextEffects::find_whole() {
  std::vector<std::vector<ContextId>> callees(program_.contexts());
  for (const ContextId context : contexts_) callees[context] = callees_of(program_, context);
  std::fill(whole_of_.begin(), whole_of_.end(), wholes_.number_of({}));
  for_each_component(callees, [&](std::span<const ContextId> component) {
    Effects whole;
    for (const ContextId context : component) {
      for (const uint32_t op : ops_of(program_, context)) whole.merge(direct({context, op}));
      for (const ContextId callee : callees[context]) whole.merge(of(callee));
    }
    whole.shrink();
    const Numbered<Effects>::Number number = wholes_.number_of(std::move(whole));
    for (const ContextId context : component) whole_of_[context] = number;
  });
}

void ContextEffects::add(const Place& place, const Path& path,
                         const std::vector<LocationId>& locations, ObjectEffect effect,
                         Effects& effects) const {
  bool asked = false;
  for (const LocationId location : locations) {
    if (!program_.shared(location) || program_.indistinct(location)) continue;
    if (!std::exchange(asked, true) && program_.own(place, path)) return;
    LocationEffect& known = effects[location];
    known.read = known.read || effect.reads;
    known.write = known.write || effect.writes;
  }
}

// The way to an object is no access of its own: `list` of `list->head` (category A of
// section 4.7).
void ContextEffects::add_access(const Place& place, const Access& access, Effects& effects) const {
  if (access.on_the_way) return;
  add(place, access.path, program_.locations(place.context, access.path),
      {!access.write, access.write}, effects);
}

void ContextEffects::add_unknown_call(const Place& place, const Call& call,
                                      Effects& effects) const {
  const CallEffect effect = models_.effect(call);
  if (effect.receiver.reads || effect.receiver.writes) {
    add(place, referred(call.receiver), program_.pointees(place.context, call.receiver),
        effect.receiver, effects);
  }
  for (size_t i = 0; i < effect.arguments.size() && i < call.arguments.size(); ++i) {
    if (!effect.arguments[i].reads && !effect.arguments[i].writes) continue;
    const Value& argument = call.arguments[i];
    add(place, referred(argument), program_.pointees(place.context, argument), effect.arguments[i],
        effects);
  }
}

Effects ContextEffects::find_direct(const Place& place) const {
  Effects effects;
  const Op& op = program_.op(place);
  if (const Access* const access = op.as<Access>()) {
    const bool is_own =
        !access->element.empty() &&
        (access->number.empty() || program_.own_number(place.context, access->number[0]));
    if (!is_own) add_access(place, *access, effects);
  } else if (const Call* const call = op.as<Call>()) {
    if (program_.callees(place).empty()) add_unknown_call(place, *call, effects);
  }
  return effects;
}

const Effects& ContextEffects::direct(const Place& place) const {
  static const Effects none;
  const auto known = direct_.find(key_of(place));
  return known != direct_.end() ? known->second : none;
}

Effects ContextEffects::of(const Place& place) const {
  Effects effects = direct(place);
  for (const ContextId callee : program_.callees(place)) effects.merge(of(callee));
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
                     [&](ContextId callee) { return of(callee).reads(any_of); });
}

bool ContextEffects::reads(const Place& place) const {
  const std::span<const ContextId> callees = program_.callees(place);
  return direct(place).reads() || std::any_of(callees.begin(), callees.end(),
                                              [&](ContextId callee) { return of(callee).reads(); });
}

bool ContextEffects::writes(const Place& place, const std::vector<LocationId>& any_of) const {
  const std::span<const ContextId> callees = program_.callees(place);
  return direct(place).writes(any_of) ||
         std::any_of(callees.begin(), callees.end(),
                     [&](ContextId callee) { return of(callee).writes(any_of); });
}

// Where an access is, from a context down its calls.
class ContextEffects::Search {
 public:
  Search(const ContextEffects& effects, LocationId location, bool write)
      : effects_(effects), location_({location}), write_(write) {}

  std::optional<Place> in_ops(ContextId context, std::span<const uint32_t> ops) {
    for (const uint32_t op : ops) {
      if (does(effects_.direct({context, op}))) return Place{context, op};
      if (const std::optional<Place> found = in_called({context, op})) return found;
    }
    return std::nullopt;
  }

 private:
  bool does(const Effects& effects) const {
    return write_ ? effects.writes(location_) : effects.reads(location_);
  }
  std::optional<Place> in_called(const Place& call) {
    for (const ContextId callee : effects_.program_.callees(call)) {
      if (!does(effects_.of(callee)) || !seen_.insert(callee).second) continue;
      if (const std::optional<Place> found = in_context(callee)) return found;
    }
    return std::nullopt;
  }
  // Its own come first.
  std::optional<Place> in_context(ContextId context) {
    const std::vector<uint32_t> ops = ops_of(effects_.program_, context);
    for (const uint32_t op : ops) {
      if (does(effects_.direct({context, op}))) return Place{context, op};
    }
    for (const uint32_t op : ops) {
      if (const std::optional<Place> found = in_called({context, op})) return found;
    }
    return std::nullopt;
  }

  const ContextEffects& effects_;
  const std::vector<LocationId> location_;
  const bool write_;
  std::set<ContextId> seen_;
};

std::optional<Place> ContextEffects::find(ContextId context, std::span<const uint32_t> ops,
                                          LocationId location, bool write) const {
  return Search(*this, location, write).in_ops(context, ops);
}

}  // namespace foretrace::lint
