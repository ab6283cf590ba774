#include "cli/error_excerpt.h"

#include <fstream>
#include <optional>

#include "base/text.h"
#include "trace/format.h"
#include "trace/tiddle_line.h"

namespace foretrace {
namespace {

struct Place {
  std::string path;
  uint64_t line;
};

// "a.tiddle:12: …"
std::optional<Place> place_in(const std::string& message) {
  const size_t end = message.find(": ");
  if (end == std::string::npos) return std::nullopt;
  const size_t colon = message.rfind(':', end - 1);
  if (colon == std::string::npos || colon + 1 >= end) return std::nullopt;
  const std::optional<int64_t> line = parse_integer(message.substr(colon + 1, end - colon - 1));
  if (!line || *line < 1) return std::nullopt;
  return Place{message.substr(0, colon), static_cast<uint64_t>(*line)};
}

std::optional<std::string> line_of(const Place& place) {
  std::ifstream file(place.path);
  std::string line;
  for (uint64_t number = 0; number < place.line; ++number) {
    if (!std::getline(file, line)) return std::nullopt;
  }
  return line;
}

}  // namespace

std::string line_excerpt(const std::string& line, uint64_t number) {
  const std::string_view text = line.ends_with('\r')
                                    ? std::string_view(line).substr(0, line.size() - 1)
                                    : std::string_view(line);
  const tl::expected<TiddleLine, TiddleFault> parsed = parse_tiddle_line(text);
  if (!parsed) {
    const TiddleFault& fault = parsed.error();
    return tiddle_excerpt(text, number, fault.place, "expected " + fault.expected);
  }
  if (parsed->words.empty()) return "";
  // The line is right, but not where it stands.
  const char* const first = parsed->words.front().data();
  const std::string_view last = parsed->words.back();
  const auto size = static_cast<size_t>(last.data() + last.size() - first);
  return tiddle_excerpt(text, number, {first, size}, "here");
}

std::string error_excerpt(const std::string& message) {
  const std::optional<Place> place = place_in(message);
  if (!place) return "";
  const Format* const format = format_of_file_name(place->path);
  if (format == nullptr || format->name != "tiddle") return "";
  const std::optional<std::string> line = line_of(*place);
  return line ? line_excerpt(*line, place->line) : "";
}

}  // namespace foretrace
