#include "lint/patterns.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace foretrace::lint {
namespace {

struct BuiltinPattern {
  const char* name;
  bool by_default;
  const char* summary;
  const char* text;
};

// Paper 004, section 4.3.3 (RwR, WrW, RwW) and 4.3.1 (the general ones). Of the common
// ones the thesis says that they report too much where one block already treats both
// variables together, or where the first block has written what it read: `!` says that.
constexpr BuiltinPattern kBuiltin[] = {
    {"RwR", true, "two reads that belong together, with a write of another thread between them",
     "R(a) !A(b) [w(a) w(b)] R(b) !A(a)"},
    {"RwR", true, "", "R(a) [w(a)] R(a) : flow unchecked"},
    {"WrW", true, "two writes that belong together, and another thread reads in between",
     "W(a) !A(b) [r(a) r(b)] W(b) !A(a)"},
    {"RwW", true, "a variable is written after it was read, and another thread writes in between",
     "R(a) !W(a) [w(a)] W(a) !R(a) : unchecked"},
    {"RwW", true, "", "R(a) [w(a)] W(a) : flow unchecked"},
    {"RwW", true, "", "R(a) !A(b) [w(a) w(b)] W(b) !A(a) : flow"},
    {"read-read", false, "every two reads between which another thread may write",
     "R(a) [w(a)] R(a)"},
    {"read-read", false, "", "R(a) [w(a) w(b)] R(b)"},
    {"read-write", false, "every read and write between which another thread may write",
     "R(a) [w(a)] W(a)"},
    {"read-write", false, "", "R(a) [w(a) a(b)] W(b)"},
    {"write-read", false, "every write and read between which another thread may write",
     "W(a) [w(a)] R(a)"},
    {"write-read", false, "", "W(a) [a(a) w(b)] R(b)"},
    {"write-write", false, "every two writes between which another thread may read",
     "W(a) [r(a)] W(a)"},
    {"write-write", false, "", "W(a) [a(a) a(b)] W(b)"},
};

class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(text) {}

  Result<Pattern> parse() {
    Result<void> done = terms(pattern_.first, true, "[");
    if (done) done = terms(pattern_.other, false, "]");
    if (done) done = terms(pattern_.second, true, ":");
    if (done) done = conditions();
    if (!done) return tl::unexpected(done.error());
    pattern_.names = static_cast<uint32_t>(names_.size());
    if (Result<void> sensible = check(); !sensible) return tl::unexpected(sensible.error());
    return pattern_;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  tl::unexpected<Error> complain(std::string_view wanted) const {
    return fail("pattern '{}': at character {} there should be {}", printable(text_), at_ + 1,
                wanted);
  }
  bool take(char wanted) {
    if (at_ < text_.size() && text_[at_] == wanted) {
      ++at_;
      return true;
    }
    return false;
  }

  // Terms up to `stop`; the last ones may also end with the text.
  Result<void> terms(std::vector<PatternTerm>& target, bool own, std::string_view stop) {
    while (!at_end()) {
      if (take(stop.front())) return {};
      Result<PatternTerm> one = term(own);
      if (!one) return tl::unexpected(one.error());
      target.push_back(*one);
    }
    if (stop == ":") return {};
    return complain(fmt::format("'{}'", stop));
  }

  Result<PatternTerm> term(bool own) {
    PatternTerm result;
    result.negated = take('!');
    const char letter = at_ < text_.size() ? text_[at_] : '\0';
    const char upper = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    const bool is_own = letter == upper;
    if ((upper != 'R' && upper != 'W' && upper != 'A') || is_own != own) {
      return complain(own ? "R, W or A with a name in parentheses, such as R(a)"
                          : "r, w or a with a name in parentheses, such as w(a)");
    }
    ++at_;
    result.reads = upper != 'W';
    result.writes = upper != 'R';
    Result<uint32_t> named = name();
    if (!named) return tl::unexpected(named.error());
    result.name = *named;
    return result;
  }

  Result<uint32_t> name() {
    if (!take('(')) return complain("'('");
    const size_t start = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string found(text_.substr(start, at_ - start));
    if (found.empty()) return complain("the name of a variable");
    if (!take(')')) return complain("')'");
    const auto known = std::find(names_.begin(), names_.end(), found);
    if (known == names_.end()) {
      names_.push_back(found);
      return static_cast<uint32_t>(names_.size() - 1);
    }
    return static_cast<uint32_t>(known - names_.begin());
  }

  Result<void> conditions() {
    for (const std::string_view word : words_of(text_.substr(at_))) {
      if (word == "flow") {
        pattern_.needs_flow = true;
      } else if (word == "unchecked") {
        pattern_.unchecked = true;
      } else {
        return fail("pattern '{}': '{}' is no condition; there are flow and unchecked",
                    printable(text_), printable(word));
      }
    }
    return {};
  }

  Result<void> check() const {
    const auto positive = [](const std::vector<PatternTerm>& terms) {
      return std::any_of(terms.begin(), terms.end(),
                         [](const auto& term) { return !term.negated; });
    };
    if (!positive(pattern_.first) || !positive(pattern_.other) || !positive(pattern_.second)) {
      return fail("pattern '{}': each of the three blocks needs a term without '!'",
                  printable(text_));
    }
    for (uint32_t name = 0; name < pattern_.names; ++name) {
      if (!bound(pattern_.first, name) && !bound(pattern_.second, name)) {
        return fail("pattern '{}': '{}' needs a term without '!' in the first or the second block",
                    printable(text_), names_[name]);
      }
    }
    if ((pattern_.needs_flow || pattern_.unchecked) && !pattern_.source()) {
      return fail("pattern '{}': flow and unchecked need an R in the first block",
                  printable(text_));
    }
    return {};
  }
  static bool bound(const std::vector<PatternTerm>& terms, uint32_t name) {
    return std::any_of(terms.begin(), terms.end(),
                       [&](const PatternTerm& term) { return !term.negated && term.name == name; });
  }

  std::string_view text_;
  size_t at_ = 0;
  Pattern pattern_;
  std::vector<std::string> names_;
};

bool holds(const std::vector<PatternTerm>& terms, uint32_t name, const VariableUse::Block& block) {
  return std::all_of(terms.begin(), terms.end(), [&](const PatternTerm& term) {
    if (term.name != name) return true;
    const bool does = (term.reads && block.reads) || (term.writes && block.writes);
    return does != term.negated;
  });
}

// Of these others, those that do to a variable what the pattern asks for.
Bits doing(const std::vector<PatternTerm>& terms, uint32_t name, const VariableUse& use,
           const Bits& others) {
  Bits result = others;
  for (const PatternTerm& term : terms) {
    if (term.name != name) continue;
    Bits does = term.reads ? use.read_by : use.written_by;
    if (term.reads && term.writes) does |= use.written_by;
    if (term.negated) {
      result -= does;
    } else {
      result &= does;
    }
  }
  return result;
}

struct Candidate {
  uint32_t variable = 0;
  Bits between;
};

// Puts candidates for the names, one after the other: different ones, and somebody must
// be left who can come in between.
class Binder {
 public:
  Binder(const std::vector<std::vector<Candidate>>& candidates, const Found& found)
      : candidates_(candidates), found_(found), between_(candidates.size()) {}

  // False if `found` wants no more.
  bool bind() {
    const size_t name = bound_.size();
    if (name == candidates_.size()) return found_(bound_, between_.back());
    for (const Candidate& candidate : candidates_[name]) {
      if (std::find(bound_.begin(), bound_.end(), candidate.variable) != bound_.end()) continue;
      between_[name] = candidate.between;
      if (name > 0) between_[name] &= between_[name - 1];
      if (name > 0 && !between_[name].any()) continue;
      bound_.push_back(candidate.variable);
      const bool more = bind();
      bound_.pop_back();
      if (!more) return false;
    }
    return true;
  }

 private:
  const std::vector<std::vector<Candidate>>& candidates_;  // by name
  const Found& found_;
  std::vector<uint32_t> bound_;
  std::vector<Bits> between_;  // for the names up to this one
};

}  // namespace

std::optional<uint32_t> Pattern::source() const {
  for (const PatternTerm& term : first) {
    if (!term.negated && term.reads && !term.writes) return term.name;
  }
  return std::nullopt;
}

bool Pattern::other_uses(const std::vector<PatternTerm>& terms) const {
  return std::any_of(other.begin(), other.end(), [&](const PatternTerm& wanted) {
    return !wanted.negated && std::any_of(terms.begin(), terms.end(), [&](const PatternTerm& term) {
      return !term.negated && term.name == wanted.name;
    });
  });
}

uint32_t Pattern::target() const {
  for (const PatternTerm& term : second) {
    if (!term.negated) return term.name;
  }
  return 0;
}

Result<Pattern> parse_pattern(std::string_view text) { return PatternParser(text).parse(); }

void match(const Pattern& pattern, std::span<const VariableUse> uses, const Bits& others,
           const Found& found) {
  std::vector<std::vector<Candidate>> candidates(pattern.names);
  for (uint32_t name = 0; name < pattern.names; ++name) {
    for (uint32_t variable = 0; variable < uses.size(); ++variable) {
      const VariableUse& use = uses[variable];
      if (!holds(pattern.first, name, use.first) || !holds(pattern.second, name, use.second)) {
        continue;
      }
      Bits between = doing(pattern.other, name, use, others);
      if (between.any()) candidates[name].push_back({variable, std::move(between)});
    }
    if (candidates[name].empty()) return;
  }
  Binder(candidates, found).bind();
}

PatternRules::PatternRules() {
  for (const BuiltinPattern& builtin : kBuiltin) {
    if (rules_.empty() || rules_.back().name != builtin.name) {
      rules_.push_back({builtin.name, builtin.summary, builtin.by_default, {}});
    }
    rules_.back().patterns.push_back(parse_pattern(builtin.text).value());
  }
}

Result<void> PatternRules::add(std::string_view definition) {
  const size_t equals = definition.find('=');
  const std::string name(trimmed(definition.substr(0, equals)));
  const bool word = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
  if (equals == std::string_view::npos || !word) {
    return fail("pattern '{}': write NAME = PATTERN, such as lost-update = R(a) [w(a)] W(a)",
                printable(definition));
  }
  Result<Pattern> pattern = parse_pattern(trimmed(definition.substr(equals + 1)));
  if (!pattern) return tl::unexpected(pattern.error());
  auto rule = std::find_if(rules_.begin(), rules_.end(),
                           [&](const PatternRule& known) { return known.name == name; });
  if (rule == rules_.end()) {
    rule = rules_.insert(rules_.end(), {name, "a pattern of the configuration", true, {}});
  }
  if (std::find(given_.begin(), given_.end(), name) == given_.end()) {
    rule->patterns.clear();
    given_.push_back(name);
  }
  rule->patterns.push_back(std::move(*pattern));
  return {};
}

std::vector<std::string> PatternRules::names() const {
  std::vector<std::string> names;
  for (const PatternRule& rule : rules_) names.push_back(rule.name);
  return names;
}

std::string builtin_pattern_text() {
  std::string text;
  for (const BuiltinPattern& builtin : kBuiltin) {
    text += fmt::format("{} = {}\n", builtin.name, builtin.text);
  }
  return text;
}

}  // namespace foretrace::lint
