// Sets of locations, of which equal ones are kept once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "lint/locations.h"

namespace foretrace::lint {

class LocationSets {
 public:
  using Id = uint32_t;
  static constexpr Id kEmpty = 0;

  LocationSets() { id_of({}); }

  // Any order, and some more than once.
  Id id_of(std::vector<LocationId> locations) {
    std::sort(locations.begin(), locations.end());
    locations.erase(std::unique(locations.begin(), locations.end()), locations.end());
    const auto [entry, is_new] =
        ids_.try_emplace(std::move(locations), static_cast<Id>(sets_.size()));
    if (is_new) sets_.push_back(&entry->first);
    return entry->second;
  }
  const std::vector<LocationId>& at(Id id) const { return *sets_[id]; }

  bool includes(Id whole, Id part) const {
    return whole == part ||
           std::includes(at(whole).begin(), at(whole).end(), at(part).begin(), at(part).end());
  }
  // Whether one of these (sorted) is in it.
  bool meets(Id id, const std::vector<LocationId>& others) const {
    auto a = at(id).begin();
    auto b = others.begin();
    while (a != at(id).end() && b != others.end()) {
      if (*a == *b) return true;
      if (*a < *b) {
        ++a;
      } else {
        ++b;
      }
    }
    return false;
  }

 private:
  std::map<std::vector<LocationId>, Id> ids_;
  std::vector<const std::vector<LocationId>*> sets_;
};

}  // namespace foretrace::lint
