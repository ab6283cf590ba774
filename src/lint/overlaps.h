// Which locations can be the same memory, or a part of each other, found once for each:
// the analyses of blocks ask it for every two of them.
#pragma once

#include <unordered_map>
#include <vector>

#include "lint/locations.h"

namespace foretrace::lint {

// Whether the two can be the same memory, or one is a part of the other.
bool overlap(const Locations& all, LocationId a, LocationId b);

class Overlaps {
 public:
  // `all` may grow.
  explicit Overlaps(const Locations& all) : all_(all) {}

  // Itself among them, sorted.
  const std::vector<LocationId>& of(LocationId location);

 private:
  void index_new();
  std::vector<LocationId> find(LocationId location);

  const Locations& all_;
  LocationId indexed_ = 0;
  std::unordered_map<LocationId, std::vector<LocationId>> by_object_;
  std::unordered_map<Name, std::vector<LocationId>> by_field_;  // the innermost one
  std::unordered_map<LocationId, std::vector<LocationId>> known_;
};

// Locations that are one variable to a pattern, with all that overlap one of them.
class Variable {
 public:
  Variable(Overlaps& overlaps, const std::vector<LocationId>& locations);
  bool has(LocationId location) const;
  const std::vector<LocationId>& all() const { return all_; }

 private:
  std::vector<LocationId> all_;  // sorted
};

}  // namespace foretrace::lint
