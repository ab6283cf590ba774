// From the sites that the program comes by to what the settings say of them.
#pragma once

#include <cstdint>

#include "steering/settings.h"
#include "steering/slot.h"

namespace foretrace::steering {

// The rules that fit a site, found out when the program comes by it first.
struct Place {
  uint32_t purposes;  // a bit for each Purpose
  uint32_t first;     // of its rules in `place_rules`
  uint32_t count;
};
extern const Rule* place_rules[];

inline uint32_t bit(Purpose purpose) { return 1U << static_cast<uint32_t>(purpose); }

// Never null.
const Place& find_place(SiteRef site);

inline const Place& place_of(SiteRef site);

// Whether the rule is for such an access.
inline bool fits(const Rule& rule, bool write) {
  return rule.access == AccessKind::any || (rule.access == AccessKind::write) == write;
}

// Goes through the rules of a place that have the purpose and fit the access.
template <typename Body>
inline void for_rules(const Place& place, Purpose purpose, bool write, const Body& body) {
  if ((place.purposes & bit(purpose)) == 0) return;
  for (uint32_t i = 0; i < place.count; ++i) {
    const Rule& rule = *place_rules[place.first + i];
    if (rule.purpose == purpose && fits(rule, write)) body(rule);
  }
}

// The numbers that sites of the plugin keep: 1 is the place that nothing is said of.
extern Place places[];
inline const Place& place_of(SiteRef site) {
  if (!site.is_code() && site.is_known()) {
    const uint32_t number = __atomic_load_n(&site.site()->number, __ATOMIC_ACQUIRE);
    if (number != 0) return places[number];
  }
  return find_place(site);
}

}  // namespace foretrace::steering
