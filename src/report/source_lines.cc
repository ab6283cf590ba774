#include "report/source_lines.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "trace/interner.h"

namespace foretrace {
namespace {

constexpr uintmax_t kLargestSource = 16U << 20;

}  // namespace

std::optional<SourceLines::Line> SourceLines::at(std::string_view site) {
  const std::vector<Line> lines = around(site, 0);
  if (lines.empty()) return std::nullopt;
  return Line{lines[0].number, std::string(trimmed(lines[0].text))};
}

std::vector<SourceLines::Line> SourceLines::around(std::string_view site, uint64_t count) {
  const SiteText parts = parse_site(site);
  if (parts.file.empty() || parts.line == 0) return {};
  const std::vector<std::string>& lines = lines_of(std::string(parts.file));
  if (parts.line > lines.size()) return {};
  const uint64_t first = parts.line > count ? parts.line - count : 1;
  const uint64_t last = std::min<uint64_t>(parts.line + count, lines.size());
  std::vector<Line> found;
  for (uint64_t number = first; number <= last; ++number) {
    found.push_back({number, lines[number - 1]});
  }
  return found;
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
  for (std::string line; std::getline(stream, line);) entry->second.push_back(std::move(line));
  return entry->second;
}

}  // namespace foretrace
