// Folders for files that are gone when the program has ended.
#pragma once

#include <string>
#include <vector>

namespace foretrace {

// What TMPDIR says, else /tmp.
std::string temporary_folder();

// For files that processes share as memory: /dev/shm, where they never touch a disk. If that is
// not there, or has little room (containers often have 64 MB) and the other one has plenty, the
// one for temporary files.
std::string shared_memory_folder();

// All that it could be, or could have been.
std::vector<std::string> shared_memory_folders();

}  // namespace foretrace
