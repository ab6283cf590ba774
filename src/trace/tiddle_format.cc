#include "trace/tiddle_format.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "trace/tiddle_line.h"

namespace foretrace {
namespace {

// How wide the columns of a paragraph are.
struct Widths {
  std::vector<size_t> words;  // operation, thread, object, value
  size_t whole = 0;           // of a line without its comment
};

std::string joined(const std::vector<std::string_view>& words, const Widths* widths) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += ' ';
    text += widths != nullptr ? padded(words[i], widths->words[i]) : std::string(words[i]);
  }
  return text;
}

// Without the comment, which has a column of its own.
std::string statement(const TiddleLine& line, const Widths& widths) {
  if (line.is_directive()) return joined(line.words, nullptr);
  std::vector<std::string_view> words = line.words;
  std::string text;
  if (!line.site.empty()) {
    words.resize(widths.words.size());  // sites stand behind the column of values
    text = joined(words, &widths) + " @ " + std::string(line.site);
  } else {
    text = joined(words, &widths);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

Widths widths_of(std::span<const TiddleLine> paragraph) {
  Widths widths;
  for (const TiddleLine& line : paragraph) {
    if (!line.op) continue;
    if (line.words.size() > widths.words.size()) widths.words.resize(line.words.size());
    for (size_t i = 0; i < line.words.size(); ++i) {
      widths.words[i] = std::max(widths.words[i], display_width(line.words[i]));
    }
  }
  for (const TiddleLine& line : paragraph) {
    if (line.words.empty() || line.comment.empty()) continue;
    widths.whole = std::max(widths.whole, display_width(statement(line, widths)));
  }
  return widths;
}

void append(std::string& text, std::span<const TiddleLine> paragraph) {
  const Widths widths = widths_of(paragraph);
  for (const TiddleLine& line : paragraph) {
    const std::string_view comment = trimmed(line.comment);
    std::string out = statement(line, widths);
    if (!out.empty() && !comment.empty()) out = padded(out, widths.whole) + "  ";
    text += out.append(comment) += '\n';
  }
}

}  // namespace

std::string format_tiddle(const std::vector<std::string>& lines) {
  std::vector<TiddleLine> paragraph;
  std::string text;
  const auto flush = [&] {
    if (paragraph.empty()) return;
    if (!text.empty()) text += '\n';
    append(text, paragraph);
    paragraph.clear();
  };
  for (const std::string& line : lines) {
    paragraph.push_back(*parse_tiddle_line(line));
    if (!paragraph.back().words.empty() || !paragraph.back().comment.empty()) continue;
    paragraph.pop_back();
    flush();
  }
  flush();
  return text;
}

}  // namespace foretrace
