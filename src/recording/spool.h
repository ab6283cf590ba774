// Bytes that are kept until they are read again: a temporary file that has no
// name, so nothing is left of it whatever happens.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/output.h"

namespace foretrace {

class Spool : public ByteSink {
 public:
  // In the folder for temporary files.
  static Result<std::unique_ptr<Spool>> create();
  ~Spool() override;

  void write(std::string_view bytes) override;
  // What was written stays readable if this fails: the disk may be full.
  Result<void> close() override;
  // All that was written; valid as long as the spool.
  Result<std::string_view> map();

 private:
  Spool(std::string folder, int descriptor) : folder_(std::move(folder)), descriptor_(descriptor) {}
  void flush();

  const std::string folder_;
  const int descriptor_;
  std::string buffer_;
  std::string error_;
  uint64_t written_ = 0;
  void* memory_ = nullptr;
};

}  // namespace foretrace
