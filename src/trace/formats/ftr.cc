// The native format. See docs/formats/ftr.md.
#include <zstd.h>

#include "base/text.h"
#include "trace/format.h"
#include "trace/formats/ftr_layout.h"
#include "trace/formats/ftr_reader.h"
#include "trace/formats/ftr_writer.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace foretrace {
namespace ftr {

uint64_t checksum(std::string_view header, std::string_view payload) {
  const uint64_t seed = XXH3_64bits(header.data(), header.size());
  return XXH3_64bits_withSeed(payload.data(), payload.size(), seed);
}

}  // namespace ftr

namespace {

Match match(std::string_view head, bool) {
  const std::string_view start = head.substr(0, ftr::kMagic.size());
  return start == ftr::kMagic.substr(0, start.size()) ? Match::certain : Match::no;
}

const FormatRegistration registration({
    .name = "ftr",
    .extension = ".ftr",
    .summary = "Foretrace's own: compact, checked, readable after a crash",
    .match = match,
    .reader = [](ByteReader input) -> std::unique_ptr<TraceReader> {
      return std::make_unique<FtrReader>(std::move(input));
    },
    .writer = [](ByteSink& sink, const Symbols& symbols) -> std::unique_ptr<TraceWriter> {
      return std::make_unique<FtrWriter>(sink, symbols);
    },
});

}  // namespace
}  // namespace foretrace
