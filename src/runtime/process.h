// This process in the session, and the files that it shares with the recorder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "runtime/layout.h"
#include "runtime/shadow.h"

namespace foretrace::runtime {

// Filled in before any thread records.
struct Process {
  char folder[256];
  recording::SessionHeader* session;
  recording::ProcessHeader* header;
  recording::NamesHeader* names;
  uint32_t number;
};
extern Process process FORETRACE_HIDDEN;

// The lower half of a new one.
inline uint32_t take_stamp() {
  return static_cast<uint32_t>(process.header->next_stamp.fetch_add(1, std::memory_order_acq_rel));
}

// Of a file in the session's folder.
struct SharedPath {
  explicit SharedPath(const char* name) {
    std::snprintf(text, sizeof text, "%s/%s", process.folder, name);
  }
  char text[sizeof(process.folder) + 48];
};

// Whether these bytes of a file can be written. Where there is no more room, writing to a file's
// memory would end the program. Memory that is never written to costs nothing as long as there is
// plenty.
bool has_room(int fd, size_t from, size_t bytes);

// The memory of a file, or null. There is room for the first `filled` bytes of a file that is made.
void* map_file(const char* name, size_t bytes, bool create, size_t filled = 1);

}  // namespace foretrace::runtime
