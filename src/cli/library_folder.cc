#include "cli/library_folder.h"

#include <system_error>

namespace foretrace {

Result<std::filesystem::path> library_folder() {
  std::error_code error;
  const std::filesystem::path here =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& folder : {here / "lib", here / "../lib/foretrace"}) {
    if (std::filesystem::exists(folder / "libforetrace_runtime.so", error)) {
      return std::filesystem::weakly_canonical(folder, error);
    }
  }
  return fail("libforetrace_runtime.so is not in {}: build or install Foretrace again",
              (here / "lib").string());
}

std::filesystem::path include_folder(const std::filesystem::path& libraries) {
  std::error_code error;
  const std::filesystem::path beside = libraries.parent_path() / "include";
  return std::filesystem::exists(beside / "foretrace/annotate.h", error)
             ? beside
             : libraries.parent_path().parent_path() / "include";
}

}  // namespace foretrace
