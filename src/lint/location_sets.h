// Sets of locations, of which equal ones are kept once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/sort_once.h"
#include "lint/locations.h"
#include "lint/numbered.h"

namespace foretrace::lint {

class LocationSets {
 public:
  using Id = uint32_t;
  static constexpr Id kEmpty = 0;

  LocationSets() { id_of({}); }

  // Any order, and some more than once.
  Id id_of(std::vector<LocationId> locations) {
    sort_once(locations);
    return sets_.number_of(std::move(locations));
  }
  const std::vector<LocationId>& at(Id id) const { return sets_.at(id); }

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
  Numbered<std::vector<LocationId>> sets_;
};

}  // namespace foretrace::lint
