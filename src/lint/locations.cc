#include "lint/locations.h"

namespace foretrace::lint {

LocationId Locations::intern(const Location& location) {
  const auto [entry, fresh] =
      ids_.try_emplace(Key{location.kind, location.step.kind, location.name, location.step.key(),
                           location.index, location.base},
                       static_cast<LocationId>(locations_.size()));
  if (fresh) locations_.push_back(location);
  return entry->second;
}

LocationId Locations::object(Location::Kind kind, Name name, uint32_t index) {
  Location location;
  location.kind = kind;
  location.name = name;
  location.index = index;
  return intern(location);
}

LocationId Locations::inside(LocationId base, const Step& step) {
  // Elements of elements are elements: containers in containers end here.
  if (step.kind == Step::Kind::element && locations_[base].kind == Location::Kind::inside &&
      locations_[base].step.kind == Step::Kind::element) {
    return base;
  }
  Location location;
  location.kind = Location::Kind::inside;
  location.base = base;
  location.step = step;
  // Which type the element was called by does not matter to what it is.
  if (step.kind == Step::Kind::element) location.step.name = {};
  return intern(location);
}

LocationId Locations::object_of(LocationId id) const {
  while (locations_[id].kind == Location::Kind::inside) id = locations_[id].base;
  return id;
}

bool Locations::contains(LocationId outer, LocationId inner) const {
  while (inner != outer && locations_[inner].kind == Location::Kind::inside) {
    inner = locations_[inner].base;
  }
  return inner == outer;
}

bool Locations::may_alias(LocationId a, LocationId b) const {
  if (a == b) return true;
  const Location* one = &locations_[a];
  const Location* other = &locations_[b];
  bool same_field = false;
  // From the end: equal fields belong to objects of the same class.
  while (one->kind == Location::Kind::inside && other->kind == Location::Kind::inside) {
    if (!(one->step == other->step)) return false;
    same_field = same_field || one->step.kind == Step::Kind::field;
    if (one->base == other->base) return true;
    one = &locations_[one->base];
    other = &locations_[other->base];
  }
  const auto is_some = [](const Location& location) {
    return location.kind == Location::Kind::any || location.kind == Location::Kind::made;
  };
  if (!is_some(*one) && !is_some(*other)) return false;
  if (is_some(*one) && is_some(*other)) return one->name == other->name;
  return same_field;
}

}  // namespace foretrace::lint
