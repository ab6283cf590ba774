#include "base/input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decompress.h"
#include "base/text.h"

namespace foretrace {
namespace {

// The room for each read: little for small inputs, and not too much for large.
constexpr size_t kLeastRoom = size_t{1} << 15;
constexpr size_t kMostRoom = size_t{1} << 19;

class FileSource : public ByteSource {
 public:
  FileSource(std::string name, int descriptor, uint64_t size, bool owned)
      : ByteSource(std::move(name)), descriptor_(descriptor), size_(size), owned_(owned) {}
  ~FileSource() override {
    if (owned_) ::close(descriptor_);
  }

  Result<size_t> read(std::span<char> into) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, into.data(), into.size());
      if (got >= 0) {
        done_.fetch_add(static_cast<uint64_t>(got), std::memory_order_relaxed);
        return static_cast<size_t>(got);
      }
      if (errno != EINTR) return fail("cannot read {}: {}", name(), std::strerror(errno));
    }
  }

  std::optional<double> progress() const override {
    if (size_ == 0) return std::nullopt;
    const auto done = static_cast<double>(done_.load(std::memory_order_relaxed));
    return std::min(1.0, done / static_cast<double>(size_));
  }

 private:
  const int descriptor_;
  const uint64_t size_;  // 0: not known (a pipe)
  const bool owned_;
  std::atomic<uint64_t> done_{0};
};

class MemorySource : public ByteSource {
 public:
  MemorySource(std::string name, std::string bytes)
      : ByteSource(std::move(name)), bytes_(std::move(bytes)) {}

  Result<size_t> read(std::span<char> into) override {
    const size_t count = std::min(into.size(), bytes_.size() - place_);
    std::memcpy(into.data(), bytes_.data() + place_, count);
    place_ += count;
    return count;
  }

 private:
  const std::string bytes_;
  size_t place_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_input(const std::string& path) {
  if (path == "-") {
    return decompressed(std::make_unique<FileSource>("standard input", STDIN_FILENO, 0, false));
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail("cannot open {}: {}", printable(path, 200), std::strerror(errno));
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0 || S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    return fail("{} is a directory, not a trace; name a file in it", printable(path, 200));
  }
  const uint64_t size = S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size) : 0;
  return decompressed(std::make_unique<FileSource>(printable(path, 200), descriptor, size, true));
}

Result<std::unique_ptr<ByteSource>> memory_input(std::string name, std::string bytes) {
  return decompressed(std::make_unique<MemorySource>(std::move(name), std::move(bytes)));
}

Result<bool> ByteReader::fill() {
  if (begin_ > 0 && begin_ == end_) begin_ = end_ = 0;
  const uint64_t read_so_far = consumed_ + (end_ - begin_);
  const auto room = static_cast<size_t>(std::clamp<uint64_t>(read_so_far, kLeastRoom, kMostRoom));
  if (buffer_.size() - end_ < room) {
    if (begin_ >= room || begin_ > end_ - begin_) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (buffer_.size() - end_ < room) buffer_.resize(std::max(buffer_.size() * 2, 2 * room));
  }
  const Result<size_t> got = source_->read({buffer_.data() + end_, buffer_.size() - end_});
  if (!got) return tl::unexpected(got.error());
  end_ += *got;
  return *got > 0;
}

Result<bool> ByteReader::want(size_t count) {
  while (end_ - begin_ < count) {
    const Result<bool> more = fill();
    if (!more || !*more) return more;
  }
  return true;
}

Result<std::string> read_input(const std::string& path) {
  Result<std::unique_ptr<ByteSource>> source = open_input(path);
  if (!source) return tl::unexpected(source.error());
  ByteReader reader(std::move(*source));
  for (;;) {
    const Result<bool> more = reader.fill();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return std::string(reader.window());
  }
}

}  // namespace foretrace
