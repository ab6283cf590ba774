#include "lint/ignores.h"

#include <algorithm>

namespace foretrace::lint {
namespace {

constexpr std::string_view kMark = "foretrace: ignore";
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string> rules_after(std::string_view rest) {
  if (!rest.starts_with('(')) return {""};
  const size_t close = rest.find(')');
  std::string_view list = rest.substr(1, close == std::string_view::npos ? close : close - 1);
  std::vector<std::string> rules;
  while (true) {
    const size_t comma = list.find(',');
    rules.emplace_back(trimmed(list.substr(0, comma)));
    if (comma == std::string_view::npos) return rules;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<IgnoreComment> ignore_comments(Name file, std::string_view source) {
  std::vector<IgnoreComment> comments;
  uint32_t line = 1;
  size_t line_start = 0;
  for (size_t at = source.find(kMark); at != std::string_view::npos;
       at = source.find(kMark, at + kMark.size())) {
    line +=
        static_cast<uint32_t>(std::count(source.begin() + static_cast<std::ptrdiff_t>(line_start),
                                         source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    line_start = at;
    const size_t newline = source.rfind('\n', at);
    const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    const std::string_view before = trimmed(source.substr(begin, at - begin));
    const bool in_line_comment = before.ends_with("//");
    if (!in_line_comment && !before.ends_with("/*")) continue;
    const bool alone = before.size() == 2;
    const std::string_view to_end =
        source.substr(at + kMark.size(), source.find('\n', at) - at - kMark.size());
    for (std::string& rule : rules_after(to_end)) {
      comments.push_back({file, alone ? line + 1 : line, std::move(rule)});
    }
  }
  return comments;
}

}  // namespace foretrace::lint
