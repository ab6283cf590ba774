// Folders for files that are gone when the program has ended.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace foretrace {

// What TMPDIR says, else /tmp.
std::string temporary_folder();

// For files that processes share as memory: /dev/shm, where they never touch a disk. If that is
// not there, or has little room (containers often have 64 MB) and the other one has plenty, the
// one for temporary files.
std::string shared_memory_folder();
// A new one in there, whose name begins so.
Result<std::string> make_shared_memory_folder(const std::string& prefix);
// Removes those whose name begins so and that nobody uses: asked by their path.
void remove_abandoned_folders(std::string_view prefix,
                              const std::function<bool(const std::string& path)>& is_abandoned);

// How much room there is where it is.
uint64_t free_bytes(const std::string& folder);

}  // namespace foretrace
