// Where the runtime, the compiler plugin and what else programs are built and
// run with are.
#pragma once

#include <filesystem>

#include "base/error.h"

namespace foretrace {

// Beside the program in a build folder, or where they are installed.
Result<std::filesystem::path> library_folder();

// Where foretrace/annotate.h is: beside the libraries' folder, or two up.
std::filesystem::path include_folder(const std::filesystem::path& libraries);

// The folder in which the runtime has the names of libtsan.
inline std::filesystem::path libtsan_folder(const std::filesystem::path& libraries) {
  return libraries / "tsan";
}
// There, libtsan is the steering runtime and the recording one behind it.
inline std::filesystem::path healing_libtsan_folder(const std::filesystem::path& libraries) {
  return libtsan_folder(libraries) / "heal";
}

}  // namespace foretrace
