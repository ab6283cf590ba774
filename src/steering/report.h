// What is told to the one who started the program.
#pragma once

#include <cstdint>

#include "steering/layout.h"
#include "steering/slot.h"

namespace foretrace::steering {

// Null if nobody wants to know.
ReportHeader* report_header();
void open_report(const char* path);
void count_process();
void note_atomics();  // a hook of one was seen

// An entry of lines of tab-separated fields (docs/formats/steer.md). Kept in one
// buffer of the process, so there is one at a time; sent when it goes out of scope.
class ReportEntry {
 public:
  ReportEntry();
  ~ReportEntry();
  ReportEntry(const ReportEntry&) = delete;
  ReportEntry& operator=(const ReportEntry&) = delete;

  void line(const char* format, ...) __attribute__((format(printf, 2, 3)));
  // "place …" of a site of the plugin, "code …" of an address.
  void place(SiteRef site);
  // "frame …" for each call, innermost first.
  void frames(const CallFrame* calls, uint32_t depth);
  // "access …" and what belongs to it.
  void access(const Slot& slot, bool write, uint64_t address, uint64_t bytes, SiteRef site,
              const CallFrame* calls, uint32_t depth);
};

// "main", "T2".
struct ThreadName {
  explicit ThreadName(uint32_t number);
  char text[16];
};

// In the child of fork().
void reset_report_lock();

}  // namespace foretrace::steering
