// Healing: threads are kept out of sections that another one is in (paper 003,
// section 5). The cell of an address is the healing lock. A thread waits for it
// only as long as the one that has it can go on: if that one waits, directly or
// through others, for something that this thread has, or for something unknown,
// or takes too long, the lock is skipped.
#pragma once

#include "steering/sections.h"

namespace foretrace::steering {

// Makes the cell of the section this thread's, by whatever means the settings
// name. False if another thread is in a section of this address and is not, or
// cannot be, waited for.
bool claim_section(OpenSection& open);
// A section of this thread was left.
void ended_healing(const OpenSection& open);

// Around an access. Where there is no hook behind the access, the thread does what
// is to be done there at its next hook, by settle_healing().
void heal_in_front(const SectionAccess& access);
void heal_behind(const SectionAccess& access);
void heal_behind_later(const SectionAccess& access);
void settle_healing();

// Whether a thread that waits for `owner` might wait for ever.
bool might_deadlock(uint32_t owner);

// Who has a mutex, as far as interceptors have seen it.
void note_owner(const void* mutex, bool owned);
uint32_t owner_of_mutex(uint64_t mutex);
// Whether the calling thread, which is about to wait for the mutex, would wait for
// itself: a deadlock, which is reported.
void look_for_deadlock(const void* mutex, SiteRef site);

void report_healing();

inline constexpr uint64_t kWaitsForSomething = 1;
// What a thread that waits for a healing lock waits for: the cell's address with
// the lowest bits set to 2.
inline constexpr uint64_t kHealingTag = 2;

}  // namespace foretrace::steering
