// Bytes that are kept until they are read again: a temporary file that has no
// name, so nothing is left of it whatever happens.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/output.h"

namespace foretrace {

// Bytes in memory that is mapped.
class MappedBytes {
 public:
  MappedBytes() = default;
  MappedBytes(void* memory, size_t size) : memory_(memory), size_(size) {}
  MappedBytes(MappedBytes&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedBytes& operator=(MappedBytes&&) = delete;
  ~MappedBytes();

  std::string_view view() const { return {static_cast<const char*>(memory_), size_}; }

 private:
  void* memory_ = nullptr;
  size_t size_ = 0;
};

class Spool : public ByteSink {
 public:
  // In the folder for temporary files.
  static Result<std::unique_ptr<Spool>> create();
  ~Spool() override;

  void write(std::string_view bytes) override;
  // What was written stays readable if this fails: the disk may be full.
  Result<void> close() override;
  // All that was written so far, and behind it `more`. Stays what it is whatever is
  // written then.
  Result<MappedBytes> map(std::string_view more = {});
  // How much may be written without thought of space: of what was free, a small part.
  uint64_t plenty() const { return plenty_; }
  uint64_t size() const { return written_ + buffer_.size(); }

 private:
  Spool(std::string folder, int descriptor);
  void flush();
  void write_out(std::string_view bytes);
  tl::unexpected<Error> unreadable() const;

  const std::string folder_;
  const int descriptor_;
  const uint64_t plenty_;
  std::string buffer_;
  std::string error_;
  uint64_t written_ = 0;
};

}  // namespace foretrace
