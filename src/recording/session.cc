#include "recording/session.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include <unistd.h>

#include "base/folders.h"

namespace foretrace {
namespace {

constexpr const char* kPrefix = "foretrace-";

bool is_abandoned(const std::string& folder) {
  const std::optional<MappedFile> file =
      MappedFile::open(folder + "/session", sizeof(recording::SessionHeader));
  if (!file) return false;  // somebody may be making it
  const int32_t recorder = file->at<recording::SessionHeader>(0)->recorder;
  return recorder > 0 && ::kill(recorder, 0) != 0 && errno == ESRCH;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::create(uint32_t ring_records) {
  // What is left of recorders that were killed. Their programs go on unrecorded.
  remove_abandoned_folders(kPrefix, is_abandoned);
  Result<std::string> folder = make_shared_memory_folder(kPrefix);
  if (!folder) return tl::unexpected(folder.error());
  std::optional<MappedFile> file =
      MappedFile::create(*folder + "/session", sizeof(recording::SessionHeader));
  if (!file) {
    const int error = errno;
    std::error_code ignored;
    std::filesystem::remove_all(*folder, ignored);
    return fail("cannot make the recording in {}: {}", *folder, std::strerror(error));
  }
  auto* const header = file->at<recording::SessionHeader>(0);
  header->version = recording::kVersion;
  header->ring_records = ring_records;
  header->recorder = ::getpid();
  return std::unique_ptr<Session>(new Session(std::move(*folder), std::move(*file)));
}

Session::~Session() {
  close();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace foretrace
