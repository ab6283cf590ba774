// What the user does not want to see: suppressions and a baseline.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "findings/finding.h"

namespace foretrace {

// A file of rules, one a line; # starts a comment. A rule is one or more
// KEY=PATTERN words, all of which must hold; patterns know * and ?. Keys:
// id, analysis, kind, variable, lock, label, thread, site (file:line),
// function. For what a finding has several of, one that matches is enough.
class Suppressions {
 public:
  static Result<Suppressions> read(const std::string& path);

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
  std::string path_;
  std::vector<Rule> rules_;
};

// The ids of the findings in an earlier report (foretrace/findings/1).
Result<std::unordered_set<std::string>> read_baseline(const std::string& path);

}  // namespace foretrace
