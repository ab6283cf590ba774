#include "lint/pair_variables.h"

#include <algorithm>
#include <numeric>

#include "base/sort_once.h"

namespace foretrace::lint {
namespace {

// Which groups have been put together: each is in the set of its representative.
class Groups {
 public:
  explicit Groups(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0U); }
  uint32_t of(uint32_t group) {
    while (parent_[group] != group) group = parent_[group] = parent_[parent_[group]];
    return group;
  }
  // The smaller number represents both.
  void join(uint32_t a, uint32_t b) {
    a = of(a);
    b = of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<uint32_t> parent_;
};

void add(const VariableUse::Block& more, VariableUse::Block& use) {
  use.reads = use.reads || more.reads;
  use.writes = use.writes || more.writes;
}

}  // namespace

const VariableFinder::Own& VariableFinder::own(ContentId content) {
  const auto [known, is_new] = known_.try_emplace(content);
  Own& made = known->second;
  if (!is_new) return made;
  std::unordered_map<LocationId, uint32_t> number;
  std::vector<LocationId> locations;
  for (const auto& [location, effect] : partners_.effects(content)) {
    number[location] = static_cast<uint32_t>(locations.size());
    locations.push_back(location);
  }
  Groups groups(locations.size());
  for (const LocationId location : locations) {
    for (const LocationId other : overlaps_.of(location)) {
      const auto found = number.find(other);
      if (found != number.end()) groups.join(number[location], found->second);
    }
  }
  made.touched_by = Bits(partners_.count());
  std::unordered_map<uint32_t, uint32_t> place;  // of a representative, among the groups
  for (const auto& [location, effect] : partners_.effects(content)) {
    const auto next = static_cast<uint32_t>(made.groups.size());
    const auto [at, is_first] = place.try_emplace(groups.of(number[location]), next);
    if (is_first) made.groups.emplace_back();
    Own::Group& group = made.groups[at->second];
    if (is_first) {
      group.read_by = partners_.readers(location);
      group.written_by = partners_.writers(location);
    } else {
      group.read_by |= partners_.readers(location);
      group.written_by |= partners_.writers(location);
    }
    made.touched_by |= partners_.readers(location);
    made.touched_by |= partners_.writers(location);
    group.locations.push_back(location);
    add({effect.read, effect.write}, group.use);
    for (const LocationId other : overlaps_.of(location)) {
      made.overlapping.emplace_back(other, at->second);
    }
  }
  sort_once(made.overlapping);
  made.overlapping.shrink_to_fit();
  return made;
}

// Groups of the two that overlap are one variable.
PairVariables VariableFinder::find(ContentId first, ContentId second) {
  own(second);
  const Own& one = own(first);
  const Own& other = known_.at(second);
  const auto split = static_cast<uint32_t>(one.groups.size());
  Groups groups(one.groups.size() + other.groups.size());
  for (uint32_t group = 0; group < other.groups.size(); ++group) {
    for (const LocationId location : other.groups[group].locations) {
      auto at = std::lower_bound(one.overlapping.begin(), one.overlapping.end(),
                                 std::pair(location, uint32_t{0}));
      for (; at != one.overlapping.end() && at->first == location; ++at) {
        groups.join(at->second, split + group);
      }
    }
  }
  PairVariables found;
  std::vector<uint32_t> place(one.groups.size() + other.groups.size());
  for (uint32_t number = 0; number < place.size(); ++number) {
    const bool is_first = number < split;
    const Own::Group& group = is_first ? one.groups[number] : other.groups[number - split];
    const uint32_t representative = groups.of(number);
    if (representative == number) {
      place[number] = static_cast<uint32_t>(found.uses.size());
      found.locations.emplace_back();
      found.uses.push_back({{}, {}, group.read_by, group.written_by});
    }
    VariableUse& use = found.uses[place[representative]];
    use.read_by |= group.read_by;
    use.written_by |= group.written_by;
    add(group.use, is_first ? use.first : use.second);
    std::vector<LocationId>& locations = found.locations[place[representative]];
    locations.insert(locations.end(), group.locations.begin(), group.locations.end());
  }
  return found;
}

}  // namespace foretrace::lint
