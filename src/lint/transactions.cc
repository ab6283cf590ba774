#include "lint/transactions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
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
// All of a function, with its initialisers and handlers.
#define __FT_FN__ __attribute__((annotate("foretrace::atomic")))
// The same in few letters, for the names that a program gives to the words.
#define __FT_ __FT_TM__
#define __FTX __FT_TM_EXPR
#define __FTF __FT_FN__
// Where a macro of another file hides the word: before a block only.
#ifdef __cplusplus
#define __transaction_atomic if (__FT_TM__; true)
#define __transaction_relaxed if (__FT_TM__; true)
#else
#define __FT_ONCE for (__FT_TM__, __foretrace_once = 1; __foretrace_once; __foretrace_once = 0)
#define __transaction_atomic __FT_ONCE
#define __transaction_relaxed __FT_ONCE
#endif
)";

namespace {

constexpr std::array<std::string_view, 6> kKeywords = {
    "__transaction_atomic", "__transaction_relaxed", "synchronized",
    "atomic_noexcept",      "atomic_cancel",         "atomic_commit"};
constexpr std::string_view kCancel = "__transaction_cancel";
// What a block, an expression and a function begin with.
struct Words {
  std::string_view block, expression, function;
};
constexpr Words kWords = {"{__FT_TM__;", "__FT_TM_EXPR", "__FT_FN__"};
constexpr Words kShortWords = {"{__FT_;", "__FTX", "__FTF"};  // for names of the program's

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Word {
  size_t begin = 0;
  size_t end = 0;
};

// Just enough of C++'s tokens: words, and single characters; comments, strings
// and preprocessor lines are skipped, but for what macros stand for: that begins and ends with an
// empty token.
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
      directive();
    } else if (now() == '"' || now() == '\'') {
      skip_quoted(now());
    } else {
      token();
    }
  }

  void directive() {
    const size_t begin = at_++;
    while (at_ < source_.size() && (now() == ' ' || now() == '\t')) ++at_;
    const size_t end = std::min(line_end(), source_.size());
    if (!sees("define")) {
      at_ = end;
      return;
    }
    at_ += std::string_view("define").size();
    tokens_.push_back({begin, begin});
    // What continues the line is no line of its own.
    while (at_ < end) now() == '\\' ? void(++at_) : step();
    tokens_.push_back({end, end});
  }

  size_t line_end() const {
    size_t end = at_;
    while (end < source_.size() && source_[end] != '\n') end += source_[end] == '\\' ? 2 : 1;
    return end;
  }

  // A line, with those that continue it.
  void skip_line() { at_ = std::min(line_end(), source_.size()); }

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
    find_names();
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view word = text(i);
      if (std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end()) {
        keyword(i, word.starts_with("__"), kWords);
      } else if (names_.contains(word) && !text(i - 1).empty()) {
        keyword(i, true, kShortWords);
      } else if (word == kCancel) {
        cancel(i);
      }
    }
    if (!changed_) return std::nullopt;
    return std::move(result_);
  }

 private:
  std::string_view text(size_t i) const {
    if (i >= tokens_.size()) return {};
    return source_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }

  // #define ATOMIC __transaction_atomic
  void find_names() {
    for (size_t i = 0; i + 3 < tokens_.size(); ++i) {
      if (text(i).empty() && text(i + 3).empty() && text(i + 2).starts_with("__transaction_") &&
          text(i + 2) != kCancel) {
        names_.insert(text(i + 1));
      }
    }
  }

  void keyword(size_t i, bool reserved, const Words& words) {
    const size_t next = after_attributes(i + 1);
    if (text(next) == "{" && (reserved || may_begin_block(i))) {
      replace(i, next + 1, words.block);
    } else if (text(next) == "(" && reserved) {
      replace(i, next, words.expression);
    } else if ((text(next) == ":" || text(next) == "try") && reserved) {
      // Its initialisers may contain braces: where its body begins is not found without parsing.
      replace(i, next, words.function);
    }
  }

  // __transaction_cancel [[outer]]; and __transaction_cancel throw …;
  void cancel(size_t i) {
    const size_t next = after_attributes(i + 1);
    if (text(next) == "throw") {
      replace(i, next, "");
    } else if (next != i + 1) {
      replace(i + 1, next, "");
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

  // Past `[[outer]]` and `__attribute__((outer))`.
  size_t after_attributes(size_t i) const {
    const bool old = text(i) == "__attribute__";
    const std::string_view open = old ? "(" : "[";
    const std::string_view close = old ? ")" : "]";
    const size_t first = old ? i + 1 : i;
    if (text(first) != open || text(first + 1) != open) return i;
    i = first;
    while (i < tokens_.size() && !(text(i) == close && text(i + 1) == close)) ++i;
    return i + 2;
  }

  // Puts `words` in the place of the tokens from `first` up to `last`; blanks
  // fill the rest, and lines stay.
  void replace(size_t first, size_t last, std::string_view words) {
    const size_t begin = tokens_[first].begin;
    const size_t end = tokens_[last - 1].end;
    if (end - begin < words.size()) return;
    for (size_t k = begin; k < end; ++k) {
      if (result_[k] != '\n' && result_[k] != '\\') result_[k] = ' ';
    }
    result_.replace(begin, words.size(), words);
    changed_ = true;
  }

  std::string_view source_;
  std::vector<Word> tokens_;
  std::set<std::string_view> names_;  // that the program gives to the words
  std::string result_;
  bool changed_ = false;
};

}  // namespace

std::optional<std::string> rewrite_transactions(std::string_view source) {
  const bool perhaps =
      source.find(kCancel) != std::string_view::npos ||
      std::any_of(kKeywords.begin(), kKeywords.end(), [&](std::string_view keyword) {
        return source.find(keyword) != std::string_view::npos;
      });
  return perhaps ? Rewriter(source).run() : std::nullopt;
}

}  // namespace foretrace::lint
