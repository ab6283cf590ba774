#include "report/source_lines.h"

#include <filesystem>
#include <fstream>

#include "base/text.h"

namespace foretrace {
namespace {

constexpr uintmax_t kLargestSource = 16U << 20;

}  // namespace

std::optional<SourceLines::Line> SourceLines::at(std::string_view site) {
  // Try "file:line" first, then "file:line:column".
  for (size_t end = site.size(); end != std::string_view::npos && end > 0;) {
    const std::string_view head = site.substr(0, end);
    const size_t colon = head.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    const std::optional<int64_t> number = parse_integer(head.substr(colon + 1));
    if (!number || *number < 1) return std::nullopt;
    const std::vector<std::string>& lines = lines_of(std::string(head.substr(0, colon)));
    const auto line = static_cast<uint64_t>(*number);
    if (line <= lines.size()) return Line{line, lines[line - 1]};
    end = colon;
  }
  return std::nullopt;
}

const std::vector<std::string>& SourceLines::lines_of(const std::string& file) {
  const auto [entry, fresh] = files_.try_emplace(file);
  if (!fresh) return entry->second;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error) ||
      std::filesystem::file_size(file, error) > kLargestSource) {
    return entry->second;
  }
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    entry->second.push_back(std::string(trimmed(line)));
  }
  return entry->second;
}

}  // namespace foretrace
