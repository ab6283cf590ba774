// A file of the session's folder in memory, shared with the recorded program.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace foretrace {

class MappedFile {
 public:
  // `bytes` 0: as large as the file is. Nothing if the file is not there (yet).
  static std::optional<MappedFile> open(const std::string& path, size_t bytes = 0);
  static std::optional<MappedFile> create(const std::string& path, size_t bytes);

  MappedFile(MappedFile&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  size_t bytes() const { return bytes_; }
  template <typename T>
  T* at(size_t offset) const {
    return reinterpret_cast<T*>(static_cast<char*>(memory_) + offset);
  }

 private:
  MappedFile(void* memory, size_t bytes) : memory_(memory), bytes_(bytes) {}
  static std::optional<MappedFile> map(int fd, size_t bytes);

  void* memory_;
  size_t bytes_;
};

}  // namespace foretrace
