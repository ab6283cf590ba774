#include "lint/transactions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace foretrace::lint {

const std::string_view kTransactionPrelude = R"(
#define FORETRACE_LINT 1
#define transaction_safe
#define transaction_safe_dynamic
#define transaction_unsafe
#define __transaction_cancel ((void)0)
#ifdef __cplusplus
extern "C" {
#endif
int __foretrace_transaction_begin(void);
void __foretrace_transaction_end(int*);
#ifdef __cplusplus
}
#endif
#define __FT_TM__ \
  __attribute__((unused, cleanup(__foretrace_transaction_end))) int __foretrace_transaction = \
      __foretrace_transaction_begin()
#define __FT_TM_EXPR(...) __extension__({ __FT_TM__; (__VA_ARGS__); })
#ifdef __cplusplus
// Where a macro of the program hides the word.
#define __transaction_atomic if (__FT_TM__; true)
#define __transaction_relaxed if (__FT_TM__; true)
#endif
)";

namespace {

constexpr std::array<std::string_view, 6> kKeywords = {
    "__transaction_atomic", "__transaction_relaxed", "synchronized",
    "atomic_noexcept",      "atomic_cancel",         "atomic_commit"};
constexpr std::string_view kBlock = "{__FT_TM__;";
constexpr std::string_view kExpression = "__FT_TM_EXPR";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Word {
  size_t begin = 0;
  size_t end = 0;
};

// Just enough of C++'s tokens: words, and single characters; comments, strings
// and preprocessor lines are skipped.
class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Word> tokens() {
    while (at_ < source_.size()) step();
    return std::move(tokens_);
  }

 private:
  char now() const { return source_[at_]; }
  bool sees(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  void skip_to_after(std::string_view mark) {
    const size_t found = source_.find(mark, at_);
    at_ = found == std::string_view::npos ? source_.size() : found + mark.size();
  }

  void step() {
    if (std::isspace(static_cast<unsigned char>(now())) != 0) {
      at_line_start_ = at_line_start_ || now() == '\n';
      ++at_;
    } else if (sees("//")) {
      skip_line();
    } else if (sees("/*")) {
      at_ += 2;
      skip_to_after("*/");
    } else if (now() == '#' && at_line_start_) {
      skip_line();
    } else if (now() == '"' || now() == '\'') {
      skip_quoted(now());
    } else {
      token();
    }
  }

  // A line, with those that continue it.
  void skip_line() {
    while (at_ < source_.size() && now() != '\n') at_ += now() == '\\' ? 2 : 1;
    at_ = std::min(at_, source_.size());
  }

  void skip_quoted(char quote) {
    const size_t begin = at_++;
    while (at_ < source_.size() && now() != quote && now() != '\n') at_ += now() == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, source_.size());
    add(begin);
  }

  void token() {
    const size_t begin = at_;
    if (!is_word(now())) {
      ++at_;
    } else {
      // A digit separator is no quote.
      const bool number = std::isdigit(static_cast<unsigned char>(now())) != 0;
      while (at_ < source_.size() && (is_word(now()) || (number && now() == '\''))) ++at_;
      if (at_ < source_.size() && now() == '"' && source_[at_ - 1] == 'R') skip_raw_string();
    }
    add(begin);
  }

  void skip_raw_string() {
    const size_t open = source_.find('(', at_);
    if (open == std::string_view::npos) return;
    const std::string mark = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    skip_to_after(mark);
  }

  void add(size_t begin) {
    tokens_.push_back({begin, at_});
    at_line_start_ = false;
  }

  std::string_view source_;
  size_t at_ = 0;
  bool at_line_start_ = true;
  std::vector<Word> tokens_;
};

class Rewriter {
 public:
  explicit Rewriter(std::string_view source)
      : source_(source), tokens_(Lexer(source).tokens()), result_(source) {}

  std::optional<std::string> run() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view word = text(i);
      if (std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end()) keyword(i, word);
    }
    if (!changed_) return std::nullopt;
    return std::move(result_);
  }

 private:
  std::string_view text(size_t i) const {
    if (i >= tokens_.size()) return {};
    return source_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }

  void keyword(size_t i, std::string_view word) {
    const size_t next = after_attributes(i + 1);
    const bool reserved = word.starts_with("__");
    if (text(next) == "{" && (reserved || may_begin_block(i))) {
      replace(i, next + 1, kBlock);
    } else if (text(next) == "(" && reserved) {
      replace(i, next, kExpression);
    } else if (text(next) == ":" && reserved) {
      // A constructor: its initialisers may contain braces, so only its body's
      // beginning would do, which is not found without parsing.
      replace(i, next, "");
    }
  }

  // `synchronized` and the others are no reserved words: only where a statement or
  // a function's body can begin.
  bool may_begin_block(size_t i) const {
    if (i == 0) return false;
    const std::string_view before = text(i - 1);
    constexpr std::array<std::string_view, 7> kBefore = {";", "{", "}", ")", ":", "else", "do"};
    return std::find(kBefore.begin(), kBefore.end(), before) != kBefore.end();
  }

  // Past `[[outer]]`.
  size_t after_attributes(size_t i) const {
    if (text(i) != "[" || text(i + 1) != "[") return i;
    while (i < tokens_.size() && !(text(i) == "]" && text(i + 1) == "]")) ++i;
    return i + 2;
  }

  // Puts `words` in the place of the tokens from `first` up to `last`; blanks
  // fill the rest, and lines stay.
  void replace(size_t first, size_t last, std::string_view words) {
    const size_t begin = tokens_[first].begin;
    const size_t end = tokens_[last - 1].end;
    for (size_t k = begin; k < end; ++k) {
      if (result_[k] != '\n') result_[k] = ' ';
    }
    result_.replace(begin, words.size(), words);
    changed_ = true;
  }

  std::string_view source_;
  std::vector<Word> tokens_;
  std::string result_;
  bool changed_ = false;
};

}  // namespace

std::optional<std::string> rewrite_transactions(std::string_view source) {
  const bool perhaps = std::any_of(
      kKeywords.begin(), kKeywords.end(),
      [&](std::string_view keyword) { return source.find(keyword) != std::string_view::npos; });
  return perhaps ? Rewriter(source).run() : std::nullopt;
}

}  // namespace foretrace::lint
