#include "base/folders.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <sys/statvfs.h>
#include <unistd.h>

namespace foretrace {
namespace {

constexpr const char* kMemoryFolder = "/dev/shm";

}  // namespace

uint64_t free_bytes(const std::string& folder) {
  struct statvfs space;
  if (::statvfs(folder.c_str(), &space) != 0) return 0;
  return uint64_t{space.f_bavail} * space.f_frsize;
}

std::string temporary_folder() {
  const char* const chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

std::string shared_memory_folder() {
  constexpr uint64_t kLittle = uint64_t{128} << 20;
  constexpr uint64_t kPlenty = uint64_t{1} << 30;
  std::string on_disk = temporary_folder();
  if (::access(kMemoryFolder, W_OK) != 0) return on_disk;
  const bool is_better = free_bytes(kMemoryFolder) < kLittle && free_bytes(on_disk) >= kPlenty;
  return is_better ? on_disk : kMemoryFolder;
}

Result<std::string> make_shared_memory_folder(const std::string& prefix) {
  const std::string parent = shared_memory_folder();
  std::string folder = parent + "/" + prefix + "XXXXXX";  // as mkdtemp() wants it
  if (::mkdtemp(folder.data()) == nullptr) {
    return fail("cannot make a folder in {}: {}", parent, std::strerror(errno));
  }
  return folder;
}

// Where there was room then need not be where there is now.
void remove_abandoned_folders(std::string_view prefix,
                              const std::function<bool(const std::string& path)>& is_abandoned) {
  for (const std::string& parent : {std::string(kMemoryFolder), temporary_folder()}) {
    std::error_code error;
    for (auto entry = std::filesystem::directory_iterator(parent, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      const std::filesystem::path& path = entry->path();
      if (!path.filename().string().starts_with(prefix) || !is_abandoned(path.string())) continue;
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  }
}

}  // namespace foretrace
