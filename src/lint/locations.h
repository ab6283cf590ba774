// Locations: which memory a path means in the whole program, as far as lint can
// tell. A location is an object (a global, a local, an allocation, or "some object
// of this type") and steps into it: a tree, of which every node has a number.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
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
    made,      // name: type. Some local or allocation, which one is not told apart
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
  struct Key {
    Location::Kind kind;
    Step::Kind step;
    Name name;
    Name field;
    uint32_t index;
    LocationId base;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      uint64_t hash = static_cast<uint64_t>(key.kind) * 8 + static_cast<uint64_t>(key.step);
      for (const uint32_t part : {key.name.number(), key.field.number(), key.index, key.base}) {
        hash = (hash ^ part) * 0x9E3779B97F4A7C15;
        hash ^= hash >> 32;
      }
      return hash;
    }
  };
  LocationId intern(const Location& location);

  std::vector<Location> locations_;
  std::unordered_map<Key, LocationId, KeyHash> ids_;
};

// Where a cell is in what belongs to it, or to something that it is inside of: `others`
// says for some locations which do.
template <typename Others>
std::vector<LocationId> same_cells(Locations& locations, LocationId cell, const Others& others) {
  std::vector<LocationId> found;
  std::vector<Step> below;
  for (LocationId outer = cell;;) {
    if (const auto known = others.find(outer); known != others.end()) {
      for (LocationId other : known->second) {
        for (auto step = below.rbegin(); step != below.rend(); ++step) {
          other = locations.inside(other, *step);
        }
        found.push_back(other);
      }
    }
    const Location& location = locations.at(outer);
    if (location.kind != Location::Kind::inside) return found;
    below.push_back(location.step);
    outer = location.base;
  }
}

}  // namespace foretrace::lint
