#include "recording/mapped_file.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace foretrace {

std::optional<MappedFile> MappedFile::map(int fd, size_t bytes) {
  if (fd < 0) return std::nullopt;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (memory == MAP_FAILED) return std::nullopt;
  return MappedFile(memory, bytes);
}

std::optional<MappedFile> MappedFile::open(const std::string& path, size_t bytes) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status = {};
  if (fd < 0 || ::fstat(fd, &status) != 0) return std::nullopt;
  const auto size = static_cast<size_t>(status.st_size);
  // The program makes a file and then gives it its size.
  if (size == 0 || size < bytes) {
    ::close(fd);
    return std::nullopt;
  }
  return map(fd, size);
}

std::optional<MappedFile> MappedFile::create(const std::string& path, size_t bytes) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return std::nullopt;
  // Where there is no room, writing to the memory would end the program.
  if (const int error = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes)); error != 0) {
    ::close(fd);
    errno = error;
    return std::nullopt;
  }
  return map(fd, bytes);
}

MappedFile::~MappedFile() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

}  // namespace foretrace
