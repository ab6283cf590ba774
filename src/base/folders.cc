#include "base/folders.h"

#include <cstdint>
#include <cstdlib>

#include <sys/statvfs.h>
#include <unistd.h>

namespace foretrace {
namespace {

constexpr const char* kMemoryFolder = "/dev/shm";

uint64_t free_bytes(const std::string& folder) {
  struct statvfs space;
  if (::statvfs(folder.c_str(), &space) != 0) return 0;
  return uint64_t{space.f_bavail} * space.f_frsize;
}

}  // namespace

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

std::vector<std::string> shared_memory_folders() { return {kMemoryFolder, temporary_folder()}; }

}  // namespace foretrace
