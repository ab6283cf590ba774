#include "cli/table.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {

std::string Table::text() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = display_width(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i]));
    widths.push_back(width);
  }
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string_view cell = cell_of(i);
      const std::string blanks(widths[i] - display_width(cell), ' ');
      line += "  ";
      line += columns_[i].right ? blanks + std::string(cell) : std::string(cell) + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  add_line([&](size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) add_line([&](size_t i) { return std::string_view(row[i]); });
  return text;
}

}  // namespace foretrace
