#include "recording/session.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <unistd.h>

namespace foretrace {
namespace {

// Rings in memory never touch a disk. Else where temporary files go.
std::string parent_folder() {
  if (::access("/dev/shm", W_OK) == 0) return "/dev/shm";
  const char* const temporary = std::getenv("TMPDIR");
  return temporary != nullptr ? temporary : "/tmp";
}

}  // namespace

Result<std::unique_ptr<Session>> Session::create(uint32_t ring_records) {
  std::string folder = parent_folder() + "/foretrace-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    return fail("cannot make a folder for the recording in {}: {}", parent_folder(),
                std::strerror(errno));
  }
  std::optional<MappedFile> file =
      MappedFile::create(folder + "/session", sizeof(recording::SessionHeader));
  if (!file) return fail("cannot make the recording in {}: {}", folder, std::strerror(errno));
  auto* const header = file->at<recording::SessionHeader>(0);
  header->version = recording::kVersion;
  header->ring_records = ring_records;
  header->recorder = ::getpid();
  return std::unique_ptr<Session>(new Session(std::move(folder), std::move(*file)));
}

Session::~Session() {
  close();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace foretrace
