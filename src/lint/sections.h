// Atomic sections that the code suggests (paper 003, sections 4.1 and 4.2): one variable,
// an entry, and ends with what others may do in the meantime. docs/formats/sections.md is
// the format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lint/models.h"
#include "lint/program.h"

namespace foretrace::lint {

struct SectionEnd {
  bool write = false;
  Position position;
  bool others_may_read = false;
  bool others_may_write = false;
  friend auto operator<=>(const SectionEnd&, const SectionEnd&) = default;
};

struct AtomicSection {
  std::string kind;  // load-and-store, test-and-use, consecutive
  std::string variable;
  std::string function;
  bool write = false;  // the entry
  Position entry;
  std::vector<SectionEnd> ends;
  std::vector<Position> exits;
  bool synchronises = false;  // locks, threads, atomics or unknown calls are on the way
};

// An end with what Table 1 of paper 003 leaves: all that is serializable.
SectionEnd serializable_end(bool entry_writes, bool end_writes, const Position& position);

std::vector<AtomicSection> find_sections(const Program& program, const Models& models);

// The text of a file of sections.
std::string to_text(const std::vector<AtomicSection>& sections);

}  // namespace foretrace::lint
