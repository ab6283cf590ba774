// Which atomic sets a location belongs to, and which units are declared on them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include "base/hash.h"
#include "trace/symbols.h"

namespace foretrace::atomic_sets {

using SetId = uint32_t;

enum class Granularity {
  object,    // what is declared; else account.balance belongs to account, x to itself
  location,  // each location is a set of its own: plain races between units
  all,       // all locations are one set: plain serializability
};

// Sets have numbers, in the order of first use. A unit whose label no directive
// names is declared on all sets.
class SetMap {
 public:
  SetMap(const Symbols& symbols, Granularity granularity);

  // Takes in the declarations that the trace has shown since the last call. False
  // if one of them is about a location or label that was asked for before: then
  // the answers were wrong.
  bool update();

  // Calls visit(set) for each set that the location belongs to.
  template <typename Visit>
  void for_sets(LocationId location, Visit visit) {
    if (location >= first_set_.size() || first_set_[location] == kUnknown) add(location);
    visit(first_set_[location]);
    if (more_sets_.empty()) return;
    if (const auto more = more_sets_.find(location); more != more_sets_.end()) {
      for (const SetId set : more->second) visit(set);
    }
  }
  bool is_declared_on(uint32_t label, SetId set) {
    return declared_labels_.empty() || granularity_ == Granularity::all || look_up(label, set);
  }
  // The set of the object with this name, or null if none of its locations was
  // asked for.
  const SetId* set_of_object(std::string_view name) const;

  const std::string& name(SetId set) const { return sets_[set].name; }
  size_t size() const { return sets_.size(); }

 private:
  static constexpr SetId kUnknown = UINT32_MAX;
  using Names = std::vector<std::string>;
  struct Set {
    std::string name;
    Names declared_as;  // the names that unit directives have for it
  };

  void add(LocationId location);
  SetId set_called(const std::string& name, const Names& declared_as);
  Names declared_sets(std::string_view location) const;
  bool look_up(uint32_t label, SetId set);
  bool was_asked_for(const Names& locations);

  const Symbols& symbols_;
  const Granularity granularity_;
  uint32_t seen_sets_ = 0;                              // of Symbols::sets
  uint32_t seen_units_ = 0;                             // of Symbols::units
  tsl::robin_map<std::string, Names> by_location_;      // set directives, turned round
  tsl::robin_map<std::string, Names> declared_labels_;  // unit directives

  std::vector<Set> sets_;
  tsl::robin_map<std::string, SetId> by_name_;
  std::vector<SetId> first_set_;  // by location
  std::vector<LocationId> asked_;
  size_t indexed_ = 0;  // how many of them are in asked_names_
  tsl::robin_set<std::string> asked_names_;
  tsl::robin_map<LocationId, std::vector<SetId>, IntegerHash> more_sets_;
  tsl::robin_map<uint64_t, bool, IntegerHash> answers_;  // of look_up()
  std::vector<bool> asked_labels_;
};

}  // namespace foretrace::atomic_sets
