// What the program is told to do: read once, when it starts.
#pragma once

#include <cstdint>

#include "steering/layout.h"

namespace foretrace::steering {

enum class Noise : uint8_t { none, random, variable, location, directed, priority };
enum class Manner : uint8_t { sleep, yield, spin };
enum class Healing : uint8_t { none, yield, priority, lock };

// What a place in the code is for. A place can be for several things.
enum class Purpose : uint8_t {
  noise,    // make noise here
  meet,     // hold a thread here until it is caught
  step,     // of the script
  entry,    // of an atomic section
  end,      // of one
  exit,     // of one
  variable  // an access of a section's variable
};

enum class AccessKind : uint8_t { any, read, write };

// A place, and what it is for.
struct Rule {
  Purpose purpose;
  AccessKind access;
  const char* file;  // null: any place where `variable` is accessed
  uint32_t line;
  uint32_t column;     // 0: any
  const char* module;  // not null: the place is this offset in this file
  uint64_t offset;
  const char* variable;  // null: any
  uint32_t number;       // of the step, or of the section
};

struct Step {
  int32_t thread;  // -1: any
  bool last;       // one of those that meet at the end
  bool sync;       // a synchronisation, not an access
};

struct SectionEntry {
  const char* kind;
  const char* variable;
  const char* place;  // "file:line:column"
  AccessKind access;
  bool synchronises;    // contains synchronisation: is not locked
  bool ends_elsewhere;  // an end is in another function than the entry
  uint8_t allowed;      // at every end
};

struct SectionEnd {
  uint32_t section;
  uint8_t allowed;  // kAllowRead, kAllowWrite
  AccessKind access;
  const char* place;
};
inline constexpr uint8_t kAllowRead = 1;
inline constexpr uint8_t kAllowWrite = 2;

struct Settings {
  uint64_t seed;
  Noise noise;
  Manner manner;
  Healing healing;
  bool shared_only;
  bool learn;
  bool check_sections;
  bool units;          // pairs of accesses in units are told
  bool reckless;       // healing locks are waited for whatever comes of it: for tests
  uint64_t strength;   // nanoseconds
  uint32_t frequency;  // per mille
  uint64_t hold;       // nanoseconds
  uint64_t budget;     // nanoseconds of noise for each thread
  const char* report;
  const char* log;
  const Rule* rules;
  uint32_t rule_count;
  const Step* steps;
  uint32_t step_count;
  const SectionEntry* sections;
  uint32_t section_count;
  const SectionEnd* ends;
  uint32_t end_count;
};
const Settings& settings();

// Reads the settings that the environment names. False if there are none, or if
// they are bad, which is said on standard error.
bool read_settings();

}  // namespace foretrace::steering
