#include "lint/overlaps.h"

#include <algorithm>

#include "base/sort_once.h"

namespace foretrace::lint {
namespace {

// The innermost field that a location is in: `size` of `queue.size`, `items` of
// `queue.items[]`. Of two unlike objects, only locations in the same field overlap.
Name innermost_field(const Locations& all, LocationId id) {
  for (; all.at(id).kind == Location::Kind::inside; id = all.at(id).base) {
    if (all.at(id).step.kind == Step::Kind::field) return all.at(id).step.name;
  }
  return {};
}

}  // namespace

bool overlap(const Locations& all, LocationId a, LocationId b) {
  return all.may_alias(a, b) || all.contains(a, b) || all.contains(b, a);
}

void Overlaps::index_new() {
  for (; indexed_ < all_.size(); ++indexed_) {
    by_object_[all_.object_of(indexed_)].push_back(indexed_);
    const Name field = innermost_field(all_, indexed_);
    if (!field.empty()) by_field_[field].push_back(indexed_);
    if (known_.empty()) continue;
    // What was found before may lack it. It is the greatest number yet.
    for (const LocationId other : find(indexed_)) {
      const auto known = known_.find(other);
      if (known != known_.end()) known->second.push_back(indexed_);
    }
  }
}

std::vector<LocationId> Overlaps::find(LocationId location) {
  std::vector<LocationId> found;
  const auto add = [&](const std::vector<LocationId>& candidates) {
    std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(found),
                 [&](LocationId other) { return overlap(all_, location, other); });
  };
  add(by_object_[all_.object_of(location)]);
  const Name field = innermost_field(all_, location);
  if (!field.empty()) add(by_field_[field]);
  sort_once(found);
  return found;
}

const std::vector<LocationId>& Overlaps::of(LocationId location) {
  index_new();
  const auto [entry, fresh] = known_.try_emplace(location);
  if (fresh) entry->second = find(location);
  return entry->second;
}

Variable::Variable(Overlaps& overlaps, const std::vector<LocationId>& locations) {
  for (const LocationId location : locations) {
    const std::vector<LocationId>& more = overlaps.of(location);
    all_.insert(all_.end(), more.begin(), more.end());
  }
  sort_once(all_);
}

bool Variable::has(LocationId location) const {
  return std::binary_search(all_.begin(), all_.end(), location);
}

}  // namespace foretrace::lint
