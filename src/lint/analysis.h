// Analyses of the program's source: one file or folder each, which registers itself
// with a LintRegistration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "findings/finding.h"
#include "lint/program.h"

namespace foretrace::lint {

struct LintOptions {
  // Rules to look for; empty: those that are on by default. "+name" adds one to these,
  // "-name" takes one away.
  std::vector<std::string> rules;
  std::vector<std::string> patterns;  // "NAME = PATTERN": more of them, or instead of built-in ones
  std::string confidence = "normal";  // of findings: low, normal or high; others are left out
  std::string models;                 // a file with more models of library calls; empty: none
  std::string sections;               // where atomic sections are written to; empty: nowhere
  size_t fold_above = 100;            // findings; with more, those of one variable are folded
};

// A kind of finding that users can switch.
struct LintRule {
  std::string name;  // Finding::kind: "data-race", "RwW"
  std::string summary;
  bool by_default = true;
};

// A finding without the calls that led to its events: most are folded and never need them.
struct LintFinding {
  Finding finding;
  std::vector<std::vector<Place>> calls;  // by event, innermost first
  int weight = 0;                         // the greater, the worse, among those of one rule
};

struct LintAnalysis {
  std::string_view name;
  std::string_view summary;
  // The rules that it has with these options: a file may define more.
  Result<std::vector<LintRule>> (*rules)(const LintOptions& options);
  // Looks for findings of rules that are wanted(). Ids are given later.
  Result<std::vector<LintFinding>> (*run)(const Program& program, const LintOptions& options);
};

// Whether the options ask for the rule.
bool wanted(const LintOptions& options, const LintRule& rule);

// A static object of this type in an analysis's file makes the analysis known.
struct LintRegistration {
  explicit LintRegistration(const LintAnalysis& analysis);
};

// All analyses, by name.
const std::vector<LintAnalysis>& lint_analyses();

// ---------------------------------------------------------------------------
// For those who make findings

// An access or call as a part of a finding: what is done, where, by which thread and with
// which locks; and the calls that lead there from the thread's entry, innermost first.
FindingEvent event_at(const Program& program, const Place& place, const std::string& object,
                      bool write);
std::vector<Place> calls_to(const Program& program, ContextId context);

// Whether it is a certain object, and not some object of which only the type is known.
bool told_apart(const Program& program, LocationId location);

// Leaves out findings of low confidence, unless they are asked for. Returns how many.
size_t drop_unsure(const LintOptions& options, std::vector<LintFinding>& findings);

// As foretrace::assign_ids().
void assign_ids(std::vector<LintFinding>& findings);

// Leaves out findings that a comment says to ignore: one at the line of an event, or of
// one of the two parts that the blamed caller should have made one. Returns how many.
size_t drop_ignored(const Program& program, std::vector<LintFinding>& findings);

}  // namespace foretrace::lint
