// What a steered program and the one who started it share: the settings, a text
// that the program reads when it starts (docs/formats/steer.md), and the report,
// a file that both map, so that what happened is known however the program ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace foretrace::steering {

inline constexpr const char* kSettingsVariable = "FORETRACE_STEER";  // the path of the settings
// Of a program that is linked with the runtime to be healed, and started as ever: the
// file of sections, how (yield, priority, lock), and where the log goes.
inline constexpr const char* kHealVariable = "FORETRACE_HEAL";
inline constexpr const char* kHealByVariable = "FORETRACE_HEAL_BY";
inline constexpr const char* kHealLogVariable = "FORETRACE_HEAL_LOG";
inline constexpr const char* kSettingsHeader = "foretrace/steer/1";
inline constexpr uint32_t kReportVersion = 2;
inline constexpr size_t kReportBytes = size_t{64} << 20;  // a sparse file

// Entries of text follow the header. A process reserves the bytes of an entry,
// writes them, and marks it complete last.
struct ReportHeader {
  uint32_t version;
  std::atomic<uint32_t> processes;       // that have the runtime in them
  std::atomic<bool> atomics;             // whether a hook of an atomic operation was seen
  std::atomic<uint64_t> reserved;        // bytes of entries
  std::atomic<uint64_t> accesses;        // with a window, of threads that have ended
  std::atomic<uint64_t> threads;         // that were ever seen
  std::atomic<uint64_t> unwatched;       // threads that found no place in the table
  std::atomic<uint64_t> races;           // windows that were caught inside each other
  std::atomic<uint64_t> noises;          // times that noise was made
  std::atomic<uint64_t> spent;           // threads whose noise was used up
  std::atomic<uint64_t> holds;           // times that a thread was held
  std::atomic<uint64_t> given_up;        // holds that ended because time was up
  std::atomic<uint64_t> steps;           // of the script, that came in their turn
  std::atomic<uint64_t> steps_left_out;  // that somebody could not wait for
  std::atomic<uint64_t> violations;      // of atomic sections
  std::atomic<uint64_t> healed;          // times that a thread was kept out of a section
  std::atomic<uint64_t> not_healed;      // times that waiting would have risked a deadlock
  std::atomic<uint64_t> lost;            // entries that found no place in the report
};

struct EntryHeader {
  std::atomic<uint32_t> complete;
  uint32_t bytes;  // of the text; entries are aligned to 8
};

}  // namespace foretrace::steering
