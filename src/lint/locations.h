// Locations: which memory a path means in the whole program, as far as lint can
// tell. A location is an object (a global, a local, an allocation, or "some object
// of this type") and steps into it: a tree, of which every node has a number.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "lint/summary.h"

namespace foretrace::lint {

using LocationId = uint32_t;

struct Location {
  enum class Kind : uint8_t {
    global,    // name: USR
    local,     // name: USR of the function, index: which of its locals
    heap,      // name: USR of the function, index: which of its allocations
    function,  // name: USR. For a lambda its closure, with a field for each capture
    any,       // name: type. Some object that is not known more closely
    inside,    // `step` into `base`: never a deref, those have been followed
  };
  Kind kind = Kind::any;
  Name name;
  uint32_t index = 0;
  LocationId base = 0;  // inside: the object that it is part of
  Step step;            // inside
};

class Locations {
 public:
  LocationId object(Location::Kind kind, Name name, uint32_t index = 0);
  LocationId inside(LocationId base, const Step& step);

  const Location& at(LocationId id) const { return locations_[id]; }
  size_t size() const { return locations_.size(); }
  // The object that a location is part of, or itself.
  LocationId object_of(LocationId id) const;
  // Whether `outer` is `inner` or contains it: `account` and `account.balance`.
  bool contains(LocationId outer, LocationId inner) const;
  // Whether they can be the same memory. Two known objects are the same only if
  // they are one; "some Account" can be every Account. What is known of a plain
  // number behind an unknown pointer is too little: it is no other location.
  bool may_alias(LocationId a, LocationId b) const;

 private:
  using Key = std::tuple<Location::Kind, Name, uint32_t, LocationId, Step>;
  LocationId intern(const Location& location);

  std::vector<Location> locations_;
  std::map<Key, LocationId> ids_;
};

}  // namespace foretrace::lint
