// What the user does not want to see: suppressions and a baseline.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
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

  // The text of the first rule that covers the finding, or null. Every rule that
  // does counts it.
  const std::string* covers(const Finding& finding);

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

// The findings of an earlier report (foretrace/findings/1), by id, as JSON.
using Baseline = std::unordered_map<std::string, nlohmann::ordered_json>;
Result<Baseline> read_baseline(const std::string& path);

}  // namespace foretrace
