// Where bytes go to: a file or standard output; compressed by the file's name.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace foretrace {

// A buffered sink. Errors stick: write() after an error does nothing, and
// close() returns the first error. Not thread-safe.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
  // Must be called; flushes, and says whether everything was written.
  virtual Result<void> close() = 0;
};

// What becomes of a file that could not be written to its end: the disk is full.
enum class Incomplete { removed, kept };

// "-" is standard output. Names that end in .gz or .zst are compressed. An
// existing file is replaced only by close(), so a failure leaves it as it was, unless
// what there is is kept.
Result<std::unique_ptr<ByteSink>> open_output(const std::string& path,
                                              Incomplete incomplete = Incomplete::removed);

// Appends to `target`, which must outlive the sink.
std::unique_ptr<ByteSink> string_output(std::string& target);

}  // namespace foretrace
