#include "lint/pair_variables.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace foretrace::lint {
namespace {

// What the two blocks do to a location.
struct Uses {
  VariableUse::Block first;
  VariableUse::Block second;
  bool seen = false;
};

void add(const LocationEffect& effect, VariableUse::Block& use) {
  use.reads = use.reads || effect.read.has_value();
  use.writes = use.writes || effect.write.has_value();
}

void add(const VariableUse::Block& more, VariableUse::Block& use) {
  use.reads = use.reads || more.reads;
  use.writes = use.writes || more.writes;
}

}  // namespace

PairVariables variables_of(const Effects& first, const Effects& second, Overlaps& overlaps,
                           Partners& partners) {
  std::unordered_map<LocationId, Uses> all;
  std::vector<LocationId> order;
  for (const auto& [location, effect] : first) {
    add(effect, all[location].first);
    order.push_back(location);
  }
  for (const auto& [location, effect] : second) {
    add(effect, all[location].second);
    order.push_back(location);
  }
  std::sort(order.begin(), order.end());
  PairVariables variables;
  for (const LocationId start : order) {
    if (std::exchange(all[start].seen, true)) continue;
    VariableUse use;
    std::vector<LocationId> together = {start};
    for (size_t i = 0; i < together.size(); ++i) {
      const LocationId location = together[i];
      add(all[location].first, use.first);
      add(all[location].second, use.second);
      if (i == 0) {
        use.read_by = partners.readers(location);
        use.written_by = partners.writers(location);
      } else {
        use.read_by |= partners.readers(location);
        use.written_by |= partners.writers(location);
      }
      for (const LocationId other : overlaps.of(location)) {
        const auto found = all.find(other);
        if (found != all.end() && !std::exchange(found->second.seen, true)) {
          together.push_back(other);
        }
      }
    }
    variables.locations.push_back(std::move(together));
    variables.uses.push_back(std::move(use));
  }
  return variables;
}

}  // namespace foretrace::lint
