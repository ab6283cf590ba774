// The languages that programs are written in. One file each, which registers
// itself with a LanguageRegistration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "programs/program.h"

namespace foretrace::programs {

struct ProgramOptions {
  Schedule schedule = Schedule::lockstep;
  bool unit_methods = false;            // each unit is a method, not a block
  bool log = false;                     // each operation is printed, in Tiddle, when its turn comes
  std::string name = {};                // of the program: an identifier
  std::vector<std::string> about = {};  // lines for the comment at the top
};

struct Language {
  std::string_view name;       // "c++": for --to
  std::string_view extension;  // ".cpp"
  // One program that does the traces of all of `programs`, one after the other.
  std::string (*write)(const std::vector<Program>& programs, const ProgramOptions& options);
};

// A static object of this type in a language's file makes the language known.
struct LanguageRegistration {
  explicit LanguageRegistration(const Language& language);
};

// All languages, by name.
const std::vector<Language>& languages();

}  // namespace foretrace::programs
