// The native format. See docs/formats/ftr.md.
#include "trace/format.h"
#include "trace/formats/ftr_layout.h"
#include "trace/formats/ftr_reader.h"
#include "trace/formats/ftr_writer.h"

namespace foretrace {
namespace {

Match match(std::string_view head, bool) {
  const std::string_view start = head.substr(0, ftr::kMagic.size());
  if (start != ftr::kMagic.substr(0, start.size())) return Match::no;
  return ftr::is_recording(head) ? Match::no : Match::certain;
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
