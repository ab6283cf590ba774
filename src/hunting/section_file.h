// Files of atomic sections (docs/formats/sections.md).
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "findings/finding.h"

namespace foretrace {

struct SectionPoint {
  std::string access;  // "read", "write"
  std::string site;
  std::string function;
  std::string code = {};  // where it is in code without sites: "|@module+offset|…"
  bool operator==(const SectionPoint&) const = default;
};

struct SectionEndPoint : SectionPoint {
  bool allows_reads = false;
  bool allows_writes = false;
  bool is_never_reported() const { return allows_reads && allows_writes; }
};

struct AtomicSection {
  std::string kind;
  std::string variable;
  bool synchronises = false;  // lint saw synchronisation in it: it is not locked
  SectionPoint entry;
  std::vector<SectionEndPoint> ends;
  std::vector<SectionPoint> exits;   // without access
  std::vector<SectionPoint> others;  // accesses of the variable elsewhere, if code has no sites
};

// A place with its column, 0 if it is not known.
std::string site_with_column(const std::string& site);
// What a section calls a variable that a finding names.
std::string section_variable(const std::string& variable);

// An error names the file and the line.
Result<std::vector<AtomicSection>> read_sections(const std::string& path);
std::string sections_text(const std::vector<AtomicSection>& sections);

// What the findings say should not have been disturbed. A violation of a section
// names it. Of races, what one function reads and then writes of one variable is a
// section that others may read in; accesses that are alone are sections of their
// own, so that others wait for them.
std::vector<AtomicSection> sections_of(const std::vector<Finding>& findings);

}  // namespace foretrace
