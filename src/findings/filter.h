// What the user does not want to see: suppressions and a baseline.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "findings/finding.h"

namespace foretrace {

// A file of rules, one a line; # starts a comment. A rule is one or more
// KEY=PATTERN words, all of which must hold; patterns know * and ?. Keys:
// id, analysis, kind, variable, lock, label, thread, site (file:line), file,
// function, library (of a recorded program). For what a finding has several of, one that matches is
// enough.
class Suppressions {
 public:
  static Result<Suppressions> read(const std::string& path);
  // Those that everybody has: known noise of system libraries.
  static Suppressions built_in();

  // Says the path of the library that a site ("bank.cpp:41") is in, or "".
  using LibraryOf = std::function<std::string(std::string_view site)>;
  void set_library_of(LibraryOf library_of) { library_of_ = std::move(library_of); }

  // Whether some rule covers the finding. Every rule that does counts it.
  bool covers(const Finding& finding);

  // Rules that covered nothing, as "file:line: …".
  std::vector<std::string> unused() const;

 private:
  struct Condition {
    std::string key;
    std::string pattern;
  };
  struct Rule {
    uint64_t line = 0;
    std::string text;
    std::vector<Condition> conditions;
    uint64_t hits = 0;
  };
  static Result<Suppressions> parse(const std::string& path, std::string_view content);
  std::vector<std::string> values_of(const Finding& finding, std::string_view key) const;

  std::string path_;
  std::vector<Rule> rules_;
  LibraryOf library_of_;
};

// The ids of the findings in an earlier report (foretrace/findings/1).
Result<std::unordered_set<std::string>> read_baseline(const std::string& path);

}  // namespace foretrace
