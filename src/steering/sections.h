// AtomRace, Figure 3: atomic sections. Access(v) is the cell of an address: the
// thread whose section is watched. SuspectAccess(v) are the first read and the
// first write by others meanwhile. When the thread leaves the section by an end,
// what that end does not allow is a violation.
//
// A suspect counts once its access has certainly been made: a read whose hook is
// behind it, or whatever its thread did before the next of its hooks.
#pragma once

#include "steering/places.h"

namespace foretrace::steering {

// Where a hook stands relative to its access.
enum class Position : uint8_t { in_front, behind };

// How a program's sections are seen and kept apart. `frame` is that of the hook.
struct SectionAccess {
  uint64_t address;
  bool write;
  SiteRef site;
  uint64_t frame;
  Position position;
};

extern bool has_sections;
extern std::atomic<uint32_t> open_sections;  // of all threads

// Before noise: what others watch, exits, and functions that were left.
void note_access(const SectionAccess& access);
// Ends, and then entries.
void end_section(const SectionAccess& access);
void begin_section(const SectionAccess& access);
// Where the access is the end of one section and the entry of the next, the thread
// goes over to that one and keeps its cell: nobody comes in between. Whether it is so.
bool continue_section(const SectionAccess& access);

// Whether the thread is in a section of this address.
bool is_in_section(uint64_t address);

void leave_all_sections();
// Leaves those whose function has returned, as the frame of a later hook shows.
void leave_returned_sections(uint64_t frame);

void prepare_sections();
void forget_sections_of_others();

// ---- for healing.h

struct SectionCell;
SectionCell& section_cell(uint64_t address);
// The slot that has the cell for this address; kNoSlot if none has.
uint32_t owner_of(const SectionCell& cell, uint64_t address);
// Whether somebody has the cell for an address that shares it.
bool has_other_address(const SectionCell& cell, uint64_t address);
// Whether the cell is this thread's now; it was free.
bool take_cell(SectionCell& cell, uint64_t address, uint64_t& word);
void free_cell(SectionCell& cell, uint64_t word);

}  // namespace foretrace::steering
