#include "analyses/atomic-sets/set_map.h"

#include <algorithm>

#include "base/table.h"

namespace foretrace::atomic_sets {

SetMap::SetMap(const Symbols& symbols, Granularity granularity)
    : symbols_(symbols), granularity_(granularity) {
  update();
}

bool SetMap::update() {
  bool in_time = true;
  for (const uint32_t end = symbols_.sets.size(); seen_sets_ < end; ++seen_sets_) {
    const SetDeclaration& declared = symbols_.sets[seen_sets_];
    in_time &= granularity_ == Granularity::all || !was_asked_for(declared.locations);
    for (const std::string& location : declared.locations) {
      Names& sets = by_location_[location];
      if (std::find(sets.begin(), sets.end(), declared.name) == sets.end()) {
        sets.push_back(declared.name);
      }
    }
  }
  for (const uint32_t end = symbols_.units.size(); seen_units_ < end; ++seen_units_) {
    const UnitDeclaration& declared = symbols_.units[seen_units_];
    for (uint32_t label = 0; label < asked_labels_.size(); ++label) {
      in_time &= !asked_labels_[label] || symbols_.names(Space::label)[label] != declared.label;
    }
    Names& sets = declared_labels_[declared.label];
    sets.insert(sets.end(), declared.sets.begin(), declared.sets.end());
    answers_.clear();
  }
  return in_time;
}

bool SetMap::was_asked_for(const Names& locations) {
  for (; indexed_ < asked_.size(); ++indexed_) {
    asked_names_.emplace(symbols_.location(asked_[indexed_]));
  }
  return std::any_of(locations.begin(), locations.end(),
                     [&](const std::string& name) { return asked_names_.contains(name); });
}

SetMap::Names SetMap::declared_sets(std::string_view location) const {
  if (const auto found = by_location_.find(std::string(location)); found != by_location_.end()) {
    return found->second;
  }
  // The recorder's names: "Account::balance of the object allocated at bank.cpp:41".
  constexpr std::string_view kOf = " of ";
  if (const size_t of = location.find(" of the object "); of != std::string_view::npos) {
    return {std::string(location.substr(of + kOf.size()))};
  }
  const size_t dot = location.rfind('.');
  const bool is_field = dot != std::string_view::npos && dot > 0;
  return {std::string(is_field ? location.substr(0, dot) : location)};
}

void SetMap::add(LocationId location) {
  if (location >= first_set_.size()) {
    first_set_.resize(std::max<size_t>(location + 1, first_set_.size() * 2), kUnknown);
  }
  asked_.push_back(location);
  const std::string name(symbols_.location(location));
  if (granularity_ == Granularity::all) {
    first_set_[location] = set_called("all", {});
    return;
  }
  const Names declared = declared_sets(name);
  if (granularity_ == Granularity::location) {
    first_set_[location] = set_called(name, declared);
    return;
  }
  first_set_[location] = set_called(declared[0], {declared[0]});
  for (size_t i = 1; i < declared.size(); ++i) {
    more_sets_[location].push_back(set_called(declared[i], {declared[i]}));
  }
}

SetId SetMap::set_called(const std::string& name, const Names& declared_as) {
  const auto [entry, fresh] = by_name_.try_emplace(name, static_cast<SetId>(sets_.size()));
  if (fresh) sets_.push_back({name, declared_as});
  return entry->second;
}

bool SetMap::look_up(uint32_t label, SetId set) {
  slot(asked_labels_, label) = true;
  const auto [answer, fresh] = answers_.try_emplace(uint64_t{label} << 32 | set, true);
  if (!fresh) return answer->second;
  const auto declared = declared_labels_.find(std::string(symbols_.names(Space::label)[label]));
  if (declared == declared_labels_.end()) return true;
  const Names& names = sets_[set].declared_as;
  const bool is_declared =
      std::any_of(declared->second.begin(), declared->second.end(), [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
      });
  answer.value() = is_declared;
  return is_declared;
}

const SetId* SetMap::set_of_object(std::string_view name) const {
  if (granularity_ != Granularity::object) return nullptr;
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? nullptr : &found->second;
}

}  // namespace foretrace::atomic_sets
