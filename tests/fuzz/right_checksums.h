// Fuzzing alone would hardly ever hit a checksum.
#pragma once

#include <cstring>
#include <string>

#include "trace/formats/ftr_chunks.h"

namespace foretrace {

// The same .ftr with the checksum of each chunk that is whole.
inline std::string with_right_checksums(std::string bytes) {
  for (size_t place = ftr::kFileHeader; place + ftr::kChunkHeader <= bytes.size();) {
    const std::string_view rest = std::string_view(bytes).substr(place);
    const size_t size = ftr::parse_chunk_header(rest).stored_size;
    if (size > rest.size() - ftr::kChunkHeader) break;
    const uint64_t sum = ftr::checksum(rest.substr(0, 16), rest.substr(ftr::kChunkHeader, size));
    std::memcpy(bytes.data() + place + 16, &sum, sizeof sum);
    place += ftr::kChunkHeader + size;
  }
  return bytes;
}

}  // namespace foretrace
