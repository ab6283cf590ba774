// The folder that a recorded program and its recorder share (runtime/layout.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "recording/mapped_file.h"
#include "runtime/layout.h"

namespace foretrace {

class Session {
 public:
  // Makes the folder, in memory where the system has a place for that. Removes
  // those of recorders that were killed before they could do it.
  static Result<std::unique_ptr<Session>> create(uint32_t ring_records);
  // Removes it, with all that is in it.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& folder() const { return folder_; }
  recording::SessionHeader& header() const { return *file_.at<recording::SessionHeader>(0); }
  // What still runs records no more.
  void close() { header().closed.store(1); }

 private:
  Session(std::string folder, MappedFile file)
      : folder_(std::move(folder)), file_(std::move(file)) {}

  std::string folder_;
  MappedFile file_;
};

}  // namespace foretrace
