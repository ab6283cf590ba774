#include "recording/spool.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/folders.h"

namespace foretrace {
namespace {

constexpr size_t kBufferSize = size_t{1} << 18;
constexpr size_t kPage = 4096;
constexpr uint64_t kMostPlenty = uint64_t{256} << 20;

}  // namespace

Result<std::unique_ptr<Spool>> Spool::create() {
  std::string folder = temporary_folder();
  std::string path = folder + "/foretrace-XXXXXX";
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return fail("cannot make a temporary file in {}: {} (TMPDIR names another folder)", folder,
                std::strerror(errno));
  }
  ::unlink(path.c_str());
  return std::unique_ptr<Spool>(new Spool(std::move(folder), descriptor));
}

MappedBytes::~MappedBytes() {
  if (memory_ != nullptr) ::munmap(memory_, size_);
}

Spool::Spool(std::string folder, int descriptor)
    : folder_(std::move(folder)),
      descriptor_(descriptor),
      plenty_(std::min(free_bytes(folder_) / 16, kMostPlenty)) {}
Spool::~Spool() { ::close(descriptor_); }

void Spool::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() < kBufferSize) {
    buffer_ += bytes;
    return;
  }
  flush();
  write_out(bytes);
}

void Spool::flush() {
  write_out(buffer_);
  buffer_.clear();
}

void Spool::write_out(std::string_view bytes) {
  while (!bytes.empty() && error_.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done >= 0) {
      bytes.remove_prefix(static_cast<size_t>(done));
      written_ += static_cast<uint64_t>(done);
    } else if (errno != EINTR) {
      error_ = std::strerror(errno);
    }
  }
}

Result<void> Spool::close() {
  flush();
  if (!error_.empty()) return fail("cannot write to {}: {}", folder_, error_);
  return {};
}

Result<MappedBytes> Spool::map(std::string_view more) {
  flush();
  const size_t size = written_ + more.size();
  if (size == 0) return MappedBytes();
  // Whole pages are the file's; the rest is copied.
  const size_t pages = more.empty() ? written_ : written_ - written_ % kPage;
  void* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return unreadable();
  MappedBytes bytes(memory, size);
  if (pages > 0 &&
      ::mmap(memory, pages, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor_, 0) == MAP_FAILED) {
    return unreadable();
  }
  char* const rest = static_cast<char*>(memory) + pages;
  if (pages < written_ && ::pread(descriptor_, rest, written_ - pages, static_cast<off_t>(pages)) !=
                              static_cast<ssize_t>(written_ - pages)) {
    return unreadable();
  }
  std::copy(more.begin(), more.end(), rest + (written_ - pages));
  return bytes;
}

tl::unexpected<Error> Spool::unreadable() const {
  return fail("cannot read the temporary file in {}: {}", folder_, std::strerror(errno));
}

}  // namespace foretrace
