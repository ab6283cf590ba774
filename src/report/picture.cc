#include "report/picture.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {
namespace {

// "⋮" where events are left out.
std::vector<std::string> picture(const Excerpt& excerpt) {
  std::vector<size_t> widths;
  std::string header;
  for (size_t column = 0; column < excerpt.threads.size(); ++column) {
    const std::string title = "thread " + printable(excerpt.threads[column], 20);
    size_t width = display_width(title);
    for (const ExcerptRow& row : excerpt.rows) {
      if (row.column == column) width = std::max(width, display_width(row.text));
    }
    widths.push_back(width + 3);
    header += padded(title, widths.back());
  }
  std::vector<std::string> lines = {fmt::format("{:>8}     {}", "", trimmed(header))};
  for (size_t i = 0; i < excerpt.rows.size(); ++i) {
    const ExcerptRow& row = excerpt.rows[i];
    if (i > 0 && row.position > excerpt.rows[i - 1].position + 1) {
      lines.push_back(fmt::format("{:>8}     ⋮", ""));
    }
    size_t indent = 0;
    for (size_t column = 0; column < row.column; ++column) indent += widths[column];
    lines.push_back(fmt::format("{:>8} {}   {}{}", row.index, row.marked ? "▶" : " ",
                                std::string(indent, ' '), row.text));
  }
  return lines;
}

}  // namespace

std::vector<std::string> pictures(const Excerpt& observed, const Finding& finding) {
  const Excerpt witness =
      finding.strength == Strength::certified ? witness_excerpt(observed, finding) : Excerpt();
  std::vector<std::string> left = picture(observed);
  if (witness.rows.empty()) return left;
  const std::vector<std::string> right = picture(witness);
  size_t width = 0;
  for (const std::string& line : left) width = std::max(width, display_width(line));
  std::vector<std::string> lines = {
      fmt::format("{}  │  {}", padded("observed", width), "a schedule that shows it")};
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    lines.push_back(fmt::format("{}  │{}", padded(i < left.size() ? left[i] : "", width),
                                i < right.size() ? "  " + right[i] : ""));
  }
  return lines;
}

}  // namespace foretrace
