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

bool is_abandoned(const std::filesystem::path& folder) {
  const std::optional<MappedFile> file =
      MappedFile::open(folder / "session", sizeof(recording::SessionHeader));
  if (!file) return false;  // somebody may be making it
  const int32_t recorder = file->at<recording::SessionHeader>(0)->recorder;
  return recorder > 0 && ::kill(recorder, 0) != 0 && errno == ESRCH;
}

// What is left of recorders that were killed. Their programs go on unrecorded.
void remove_abandoned_sessions() {
  for (const std::string& folder : shared_memory_folders()) {
    std::error_code error;
    for (auto entry = std::filesystem::directory_iterator(folder, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      const std::filesystem::path& path = entry->path();
      if (!path.filename().string().starts_with(kPrefix) || !is_abandoned(path)) continue;
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  }
}

}  // namespace

Result<std::unique_ptr<Session>> Session::create(uint32_t ring_records) {
  remove_abandoned_sessions();
  const std::string parent = shared_memory_folder();
  std::string folder = parent + "/" + kPrefix + "XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    return fail("cannot make a folder for the recording in {}: {}", parent, std::strerror(errno));
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
