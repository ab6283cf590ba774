#include "recording/spool.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace foretrace {
namespace {

constexpr size_t kBufferSize = size_t{1} << 18;

}  // namespace

Result<std::unique_ptr<Spool>> Spool::create() {
  const char* const chosen = std::getenv("TMPDIR");
  std::string folder = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
  std::string path = folder + "/foretrace-XXXXXX";
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return fail("cannot make a temporary file in {}: {} (TMPDIR names another folder)", folder,
                std::strerror(errno));
  }
  ::unlink(path.c_str());
  return std::unique_ptr<Spool>(new Spool(std::move(folder), descriptor));
}

Spool::~Spool() {
  if (memory_ != nullptr) ::munmap(memory_, written_);
  ::close(descriptor_);
}

void Spool::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferSize) flush();
}

void Spool::flush() {
  std::string_view bytes = buffer_;
  while (!bytes.empty() && error_.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done >= 0) {
      bytes.remove_prefix(static_cast<size_t>(done));
      written_ += static_cast<uint64_t>(done);
    } else if (errno != EINTR) {
      error_ = std::strerror(errno);
    }
  }
  buffer_.clear();
}

Result<void> Spool::close() {
  flush();
  if (!error_.empty()) return fail("cannot write to {}: {}", folder_, error_);
  return {};
}

Result<std::string_view> Spool::map() {
  flush();
  if (memory_ == nullptr && written_ > 0) {
    void* const memory = ::mmap(nullptr, written_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
    if (memory == MAP_FAILED) {
      return fail("cannot read the temporary file in {}: {}", folder_, std::strerror(errno));
    }
    memory_ = memory;
  }
  return std::string_view(static_cast<const char*>(memory_), written_);
}

}  // namespace foretrace
