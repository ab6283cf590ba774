// What the recorder writes down once and then names by a number.
#pragma once

#include <cstdint>

#include "runtime/site.h"

namespace foretrace::runtime {

// Numbers for sites and labels; 0 if there is no more space for names.
uint32_t find_number(SiteRef site);
inline uint32_t number_of(SiteRef site) {
  if (site.is_known() && !site.is_code()) {
    const uint32_t known = __atomic_load_n(&site.site()->number, __ATOMIC_ACQUIRE);
    if (known != 0) return known;
  }
  return find_number(site);
}
uint32_t find_number(ReadGroup& group);
inline uint32_t number_of(ReadGroup& group) {
  const uint32_t known = __atomic_load_n(&group.number, __ATOMIC_ACQUIRE);
  return known != 0 ? known : find_number(group);
}
uint32_t new_label(const char* label);
void name_thread(const char* name);
// A number for the stack of `parent` and a call at a place (modules.h); 0 if
// there are `most` already, or no more space for names.
uint32_t new_stack(uint32_t parent, uint32_t place, uint64_t most);
// Writes down a module of the program (layout.h); the caller sees to it that
// this happens once.
void note_module(uint32_t base, const char* path, const char* addresses);

}  // namespace foretrace::runtime
