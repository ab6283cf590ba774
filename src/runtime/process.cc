#include "runtime/process.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/raw_memory.h"

namespace foretrace::runtime {

Process process;

namespace {

// Whether files may be that large; making a larger one would end the program.
bool may_have(size_t bytes) {
  rlimit most;
  return ::getrlimit(RLIMIT_FSIZE, &most) != 0 || bytes <= most.rlim_cur;
}

}  // namespace

bool has_room(int fd, size_t from, size_t bytes) {
  constexpr uint64_t kPlenty = uint64_t{1} << 30;
  struct statfs space;
  if (::fstatfs(fd, &space) == 0 &&
      static_cast<uint64_t>(space.f_bavail) * static_cast<uint64_t>(space.f_bsize) >= kPlenty) {
    return true;
  }
  constexpr int kMostTries = 100;
  for (int i = 0; i < kMostTries; ++i) {
    if (::fallocate(fd, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from), static_cast<off_t>(bytes)) ==
        0) {
      return true;
    }
    if (errno != EINTR) return false;  // a signal came
  }
  return false;
}

// Raw system calls: open() and close() are points where pthread_cancel() acts.
void* map_file(const char* name, size_t bytes, bool create, size_t filled) {
  const SharedPath shared_path(name);
  const char* const path = shared_path.text;
  const int flags = O_RDWR | O_CLOEXEC | (create ? O_CREAT | O_EXCL : 0);
  const long opened = ::syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
  if (opened < 0) return nullptr;
  const int fd = static_cast<int>(opened);
  void* memory = MAP_FAILED;
  // It has room before it has its size: as soon as it has, the recorder looks into it.
  if (!create || (may_have(bytes) && has_room(fd, 0, filled) &&
                  ::ftruncate(fd, static_cast<off_t>(bytes)) == 0)) {
    memory = raw_mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (create && memory == MAP_FAILED) ::syscall(SYS_unlink, path);
  ::syscall(SYS_close, fd);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace foretrace::runtime
