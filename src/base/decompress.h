// Looks through gzip and zstd compression.
#pragma once

#include <memory>

#include "base/input.h"

namespace foretrace {

// A source with the plain bytes of `source`: decompressed if it starts with the
// magic number of gzip or zstd, else as they are. A compressed stream that is
// cut off or damaged is an error when that place is reached.
Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> source);

}  // namespace foretrace
