// Small text helpers that several rooms need.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace foretrace {

// 1234567 -> "1,234,567".
std::string with_commas(uint64_t number);

// counted(1, "event") -> "1 event", counted(2000, "event") -> "2,000 events".
// `plural` is for words that do not just take an s.
std::string counted(uint64_t number, std::string_view noun, std::string_view plural = {});

// "10M" -> 10,000,000. Accepts plain digits, an optional fraction ("1.5k") and
// the suffixes k, M, G (powers of 1000, either case).
Result<uint64_t> parse_count(std::string_view text);

// The whole of `text` as a decimal integer, or nothing.
std::optional<int64_t> parse_integer(std::string_view text);

std::vector<std::string_view> split(std::string_view text, char separator);

// Splits at runs of blanks and tabs; no empty words.
std::vector<std::string_view> words_of(std::string_view line);

std::string_view trimmed(std::string_view text);

// `text` made safe for one line of a terminal: control characters and invalid
// bytes are escaped, and what is longer than `limit` characters is cut with "…".
std::string printable(std::string_view text, size_t limit = 80);

// Shell-style matching with * and ?.
bool glob_match(std::string_view pattern, std::string_view text);

// "; did you mean 'analyze'?", or an empty string when nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

// The number of terminal columns that UTF-8 `text` takes (one per code point).
size_t display_width(std::string_view text);

// `text` followed by blanks up to `width` columns.
std::string padded(std::string_view text, size_t width);

}  // namespace foretrace
