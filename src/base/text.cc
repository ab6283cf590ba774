#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace foretrace {
namespace {

// Insertions, deletions, substitutions, and exchanges of two neighbours.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    std::vector<size_t> row(b.size() + 1, i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substitute, last[j] + 1, row[j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last[b.size()];
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The length of the valid UTF-8 sequence at the front of `text`, or 0.
size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0x80   ? 1
                        : lead < 0xC2 ? 0
                        : lead < 0xE0 ? 2
                        : lead < 0xF0 ? 3
                        : lead < 0xF5 ? 4
                                      : 0;
  if (length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  return length;
}

// The code of the character in front if it is a control beyond ASCII (U+0080 to
// U+009F) or changes the direction of the text after it: such a name would
// change what is shown around it.
std::optional<int> hidden_control(std::string_view text) {
  const auto bits = [&](size_t i) { return static_cast<unsigned char>(text[i]) & 0x3F; };
  if (text.size() >= 2 && text[0] == '\xC2' && bits(1) < 0x20) return 0x80 + bits(1);
  if (text.size() < 3 || text[0] != '\xE2') return std::nullopt;
  const int code = 0x2000 + (bits(1) << 6) + bits(2);
  const bool turns = code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                     (code >= 0x2066 && code <= 0x2069);
  return turns ? std::optional(code) : std::nullopt;
}

}  // namespace

std::string with_commas(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, 1, ',');
  }
  return digits;
}

std::string counted(uint64_t number, std::string_view noun, std::string_view plural) {
  if (number == 1) return fmt::format("1 {}", noun);
  if (plural.empty()) return fmt::format("{} {}s", with_commas(number), noun);
  return fmt::format("{} {}", with_commas(number), plural);
}

Result<uint64_t> parse_count(std::string_view text) {
  const auto bad = [&] {
    return fail("'{}' is not a count: write digits with an optional k, M or G, such as 10M",
                printable(text));
  };
  if (text.empty()) return bad();
  double scale = 1;
  switch (text.back()) {
    case 'k':
    case 'K':
      scale = 1e3;
      break;
    case 'm':
    case 'M':
      scale = 1e6;
      break;
    case 'g':
    case 'G':
      scale = 1e9;
      break;
    default:
      break;
  }
  const std::string_view digits = scale == 1 ? text : text.substr(0, text.size() - 1);
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number,
                                            std::chars_format::fixed);
  const double value = std::round(number * scale);
  if (error != std::errc() || end != digits.data() + digits.size() || !(value >= 0) ||
      value > 9e18) {
    return bad();
  }
  return static_cast<uint64_t>(value);
}

std::optional<int64_t> parse_integer(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t place = text.find(separator);
    parts.push_back(text.substr(0, place));
    if (place == std::string_view::npos) return parts;
    text.remove_prefix(place + 1);
  }
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  size_t i = 0;
  for (;;) {
    while (i < line.size() && is_blank(line[i])) ++i;
    if (i == line.size()) return words;
    const size_t start = i;
    while (i < line.size() && !is_blank(line[i])) ++i;
    words.push_back(line.substr(start, i - start));
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string printable(std::string_view text, size_t limit) {
  std::string out;
  size_t columns = 0;
  while (!text.empty()) {
    if (columns >= limit) return out + "…";
    const size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
      columns += 4;
      text.remove_prefix(1);
    } else if (const std::optional<int> code = hidden_control(text)) {
      out += fmt::format("\\u{:04x}", *code);
      columns += 6;
      text.remove_prefix(length);
    } else {
      out += text.substr(0, length);
      columns += 1;
      text.remove_prefix(length);
    }
  }
  return out;
}

bool glob_match(std::string_view pattern, std::string_view text) {
  // Greedy matching with one level of backtracking: linear in practice, and
  // O(pattern * text) at worst.
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] != '*' && pattern[p] == text[t]))) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  if (word.size() > 64) return {};
  const std::string* best = nullptr;
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::string() : fmt::format("; did you mean '{}'?", *best);
}

size_t display_width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string padded(std::string_view text, size_t width) {
  std::string out(text);
  const size_t used = display_width(text);
  if (used < width) out.append(width - used, ' ');
  return out;
}

}  // namespace foretrace
