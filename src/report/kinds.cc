#include "report/kinds.h"

#include <cctype>

#include "report/words.h"

namespace foretrace {
namespace {

struct Entry {
  std::string_view kind;
  std::string_view meaning;
  std::string_view remedy;
};

constexpr Entry kEntries[] = {
    {"data-race",
     "Two threads access the same location at the same time, and at least one of them writes.",
     "Guard both accesses with the same lock, make the location atomic, or order the threads so "
     "that one access always comes first."},
    {"deadlock", "Each of several threads holds a lock that another one of them waits for.",
     "Take the locks in the same order everywhere, take them together (std::scoped_lock), or "
     "hold only one at a time."},
    {"atomicity-violation",
     "A block that should be atomic can be interrupted by another thread, with a result that no "
     "order of whole blocks explains.",
     "Hold one lock over the whole block, not one for each of its parts."},
    {"atomic-set-violation",
     "Units interleave on locations that belong together, in a way that no serial order of the "
     "units explains.",
     "Hold the lock of the atomic set over the whole unit."},
    {"nondeterministic-read",
     "A read can see the write of another thread than it saw: the result depends on the schedule.",
     "If the result must not depend on the schedule, order the write and the read (a join, a "
     "barrier, a condition), or read under the lock that covers the write and its use."},
    {"RwR",
     "Two atomic blocks of one thread read what belongs together, and another thread may write it "
     "between them.",
     "Read both in one atomic block."},
    {"WrW",
     "Two atomic blocks of one thread write what belongs together, and another thread may read it "
     "between them.",
     "Write both in one atomic block."},
    {"RwW",
     "An atomic block acts on what an earlier one has read, and another thread may write it "
     "between "
     "them: the value is stale.",
     "Read and write in one atomic block, or check in the second block that the value is still the "
     "same."},
    {"view-consistency", "One thread takes together under a lock what another one takes in parts.",
     "Take what belongs together in one atomic block everywhere."},
};

}  // namespace

KindHelp help_of_kind(std::string_view kind) {
  KindHelp help;
  help.title = words(std::string(kind));
  if (!help.title.empty()) {
    help.title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(help.title[0])));
  }
  for (const Entry& entry : kEntries) {
    if (entry.kind != kind) continue;
    help.meaning = entry.meaning;
    help.remedy = entry.remedy;
    return help;
  }
  help.meaning = help.title + ".";
  return help;
}

}  // namespace foretrace
