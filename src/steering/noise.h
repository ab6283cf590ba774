// Noise: what makes windows longer and schedules different (paper 003, section
// 3.3, and beyond it: directed noise, priorities).
#pragma once

#include "steering/places.h"

namespace foretrace::steering {

// At an access, with its window open.
void make_noise(uint64_t address, bool write, SiteRef site);
// At a synchronisation.
void make_noise_at_sync(SiteRef site);

// Whether the settings ask for anything at accesses.
extern bool has_noise;
void prepare_noise();

}  // namespace foretrace::steering
